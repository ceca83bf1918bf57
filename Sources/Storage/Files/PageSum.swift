import CDeflate

/// The sum of one page of a database file: what its bytes were when we wrote them.
///
/// The upper half is the CRC-32 of page number and bytes, the lower half their Adler-32, both as zlib has them. libdeflate
/// computes them with the processor's carry-less multiplication, many times faster than zlib. This matters: each commit
/// empties the page caches of all readers, so a busy service verifies the same pages again and again. A CRC is linear: the difference of two sums depends only on which bits differ, and is another one
/// for each of the 32,768 bits of a page. So a page with one or two flipped bits is not only recognised but corrected; the
/// Adler-32, which is not linear, confirms the correction. Because the page number takes part, a page written to another
/// page's place is recognised too.
enum PageSum: Sendable {
    /// What a page is, compared with its sum.
    enum Verdict: Hashable, Sendable {
        /// The bytes are those that were written.
        case sound
        /// No sum is stored for this page.
        case unknown
        /// A bit of the sum itself flipped; the page is sound.
        case sumFlipped
        /// These bits of the page flipped, one or two, counted from the first bit of the first byte, least significant
        /// bit first.
        case flipped([Int])
        /// The bytes are others.
        case different
    }

    /// Returns the sum of a page; never 0, which stands for an unknown sum.
    static func of(_ page: UnsafeRawBufferPointer, number: Int64) -> UInt64 {
        let sum = UInt64(crc(page, number: number)) << 32 | UInt64(adler(page))
        return sum == 0 ? 1 : sum
    }

    /// Returns whether a page has the upper half of a sum: the quick test of every read, a third of the work.
    ///
    /// Different bytes pass it once in four billion cases, one or two flipped bits never.
    static func matches(_ page: UnsafeRawBufferPointer, number: Int64, sum: UInt64) -> Bool {
        crc(page, number: number) == UInt32(truncatingIfNeeded: sum >> 32)
    }

    /// Compares a page with its sum in full.
    ///
    /// - Complexity: for a page that differs, up to a hash look-up per bit of the page.
    static func verdict(on page: UnsafeRawBufferPointer, number: Int64, sum: UInt64) -> Verdict {
        guard sum != 0 else { return .unknown }
        let difference = of(page, number: number) ^ sum
        guard difference != 0 else { return .sound }
        if difference.nonzeroBitCount == 1 { return .sumFlipped }
        let wanted = UInt32(truncatingIfNeeded: sum)
        let bits = FlipTable.of(pageSize: page.count)
            .bits(of: UInt32(truncatingIfNeeded: difference >> 32)) { bits in
                adler(page, flipping: bits) == wanted
            }
        return bits.map { .flipped($0) } ?? .different
    }

    private static func crc(_ page: UnsafeRawBufferPointer, number: Int64) -> UInt32 {
        let start = withUnsafeBytes(of: number.littleEndian) { libdeflate_crc32(0, $0.baseAddress, $0.count) }
        return libdeflate_crc32(start, page.baseAddress, page.count)
    }

    private static func adler(_ page: UnsafeRawBufferPointer) -> UInt32 {
        libdeflate_adler32(1, page.baseAddress, page.count)
    }

    private static func adler(_ page: UnsafeRawBufferPointer, flipping bits: [Int]) -> UInt32 {
        var bytes = [UInt8](page)
        for bit in bits { bytes[bit >> 3] ^= 1 << UInt8(bit & 7) }
        return bytes.withUnsafeBytes { adler($0) }
    }
}

/// The change of a page's CRC-32 by each of its bits.
private struct FlipTable: Sendable {
    private let changes: [UInt32]
    private let bits: [UInt32: Int]

    private static let usual = FlipTable(pageSize: 4_096)

    static func of(pageSize: Int) -> FlipTable {
        pageSize == 4_096 ? usual : FlipTable(pageSize: pageSize)
    }

    private init(pageSize: Int) {
        var changes = [UInt32](repeating: 0, count: pageSize * 8)
        // The difference of the CRCs of two messages is the CRC, without its constants, of their difference.
        var tail: [UInt32] = (0..<8).map { FlipTable.step(1 << UInt32($0)) }
        for byte in stride(from: pageSize - 1, through: 0, by: -1) {
            for bit in 0..<8 {
                changes[byte * 8 + bit] = tail[bit]
                tail[bit] = tail[bit] >> 8 ^ FlipTable.step(tail[bit] & 0xFF)
            }
        }
        self.changes = changes
        bits = Dictionary(changes.enumerated().map { ($1, $0) }) { first, _ in first }
    }

    /// Returns the CRC register after one byte (reversed polynomial of CRC-32, RFC 1952 §8).
    private static func step(_ byte: UInt32) -> UInt32 {
        (0..<8).reduce(byte) { value, _ in value & 1 == 0 ? value >> 1 : value >> 1 ^ 0xEDB8_8320 }
    }

    /// Returns the one or two bits whose flips change the CRC by `change` and which `isRight` confirms; `nil` if none.
    func bits(of change: UInt32, where isRight: ([Int]) -> Bool) -> [Int]? {
        if let bit = bits[change], isRight([bit]) { return [bit] }
        for (first, own) in changes.enumerated() {
            guard let second = bits[change ^ own], second > first, isRight([first, second]) else { continue }
            return [first, second]
        }
        return nil
    }
}
