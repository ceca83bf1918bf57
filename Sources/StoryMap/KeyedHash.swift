/// SipHash-2-4 with a 128-bit result (Aumasson and Bernstein, "SipHash: a fast short-input PRF", 2012), fed with words.
///
/// Strings are absorbed after their length, so that no two sequences of fields are alike.
struct KeyedHash: Sendable {
    private var v0: UInt64
    private var v1: UInt64
    private var v2: UInt64
    private var v3: UInt64
    private var words: UInt64 = 0

    init(key: DigestKey) {
        v0 = key.low ^ 0x736f_6d65_7073_6575
        v1 = key.high ^ 0x646f_7261_6e64_6f6d ^ 0xee
        v2 = key.low ^ 0x6c79_6765_6e65_7261
        v3 = key.high ^ 0x7465_6462_7974_6573
    }

    @inline(__always)
    mutating func absorb(_ word: UInt64) {
        v3 ^= word
        round()
        round()
        v0 ^= word
        words &+= 1
    }

    mutating func absorb(_ text: String?) {
        guard var text else { return absorb(UInt64.max) }
        text.withUTF8 { absorb(UnsafeRawBufferPointer($0)) }
    }

    mutating func absorb(_ bytes: UnsafeRawBufferPointer) {
        absorb(UInt64(bytes.count))
        let whole = bytes.count & ~7
        for start in stride(from: 0, to: whole, by: 8) {
            absorb(UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: start, as: UInt64.self)))
        }
        guard whole < bytes.count else { return }
        var word: UInt64 = 0
        for offset in whole..<bytes.count { word |= UInt64(bytes[offset]) << UInt64(8 * (offset - whole)) }
        absorb(word)
    }

    /// Returns the 128 bits for everything absorbed so far; nothing may be absorbed afterwards.
    mutating func finish() -> Digest {
        absorb((words &* 8) << 56)
        v2 ^= 0xee
        for _ in 0..<4 { round() }
        let low = v0 ^ v1 ^ v2 ^ v3
        v1 ^= 0xdd
        for _ in 0..<4 { round() }
        return Digest(high: v0 ^ v1 ^ v2 ^ v3, low: low)
    }

    @inline(__always)
    private mutating func round() {
        v0 &+= v1
        v1 = v1 << 13 | v1 >> 51
        v1 ^= v0
        v0 = v0 << 32 | v0 >> 32
        v2 &+= v3
        v3 = v3 << 16 | v3 >> 48
        v3 ^= v2
        v0 &+= v3
        v3 = v3 << 21 | v3 >> 43
        v3 ^= v0
        v2 &+= v1
        v1 = v1 << 17 | v1 >> 47
        v1 ^= v2
        v2 = v2 << 32 | v2 >> 32
    }
}

extension DigestKey {
    /// Returns the digest of the given words, for comparison with published vectors.
    package func digest(ofWords words: [UInt64]) -> Digest {
        var hash = KeyedHash(key: self)
        for word in words { hash.absorb(word) }
        return hash.finish()
    }
}
