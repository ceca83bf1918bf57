/// A 128-bit FNV-1a hash of a row's content, the same on every platform and in every version.
///
/// G. Fowler, L. C. Noll, K.-P. Vo, D. Eastlake, "The FNV Non-Cryptographic Hash Algorithm". The hash distinguishes
/// rows that were not made to collide; anyone who forges two rows with the same digest harms only their own import.
package struct ContentDigest: Hashable, Sendable {
    private var state: UInt128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d

    package init() {}

    /// Adds one text, separated from its neighbours.
    package mutating func add(_ text: String) {
        for byte in text.utf8 { add(byte) }
        // 0xFF never occurs in UTF-8, so it can separate texts.
        add(0xFF)
    }

    private mutating func add(_ byte: UInt8) {
        state ^= UInt128(byte)
        state &*= 0x0000_0000_0100_0000_0000_0000_0000_013B
    }

    /// The hash as 32 hexadecimal digits.
    package var hexadecimal: String {
        let digits = String(state, radix: 16)
        return String(repeating: "0", count: max(0, 32 - digits.utf8.count)) + digits
    }
}
