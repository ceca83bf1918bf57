/// Composes letters that a text may write in parts, so that both ways of writing them are the same.
package enum LetterComposition: Sendable {
    /// Returns the letter that `last` and a following character make together, or `nil` if they stay two.
    ///
    /// Conjoining jamo make syllables (The Unicode Standard, section 3.12). A kana and a voicing mark make the voiced
    /// letter, which follows the plain one in its block.
    package static func composed(_ last: UInt32, _ next: UInt32) -> UInt32? {
        if (0x1100...0x1112).contains(last), (0x1161...0x1175).contains(next) {
            return 0xAC00 + (last - 0x1100) * 588 + (next - 0x1161) * 28
        }
        if (0xAC00...0xD7A3).contains(last), (last - 0xAC00) % 28 == 0, (0x11A8...0x11C2).contains(next) {
            return last + next - 0x11A7
        }
        guard next == 0x3099 || next == 0x309A, (0x3041...0x30FA).contains(last) else { return nil }
        return last + next - 0x3098
    }

    /// Whether a character can be the second one of such a pair.
    package static func isSecond(_ scalar: UInt32) -> Bool {
        (0x1161...0x11C2).contains(scalar) || scalar == 0x3099 || scalar == 0x309A
    }
}
