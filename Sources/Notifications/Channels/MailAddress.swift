/// Validation of e-mail addresses: the plain form that every server accepts.
enum MailAddress: Sendable {
    /// Returns whether a text is one address: a local part of ASCII letters, digits and marks, `@`, and a domain.
    ///
    /// Quoted local parts, comments, address literals and non-ASCII characters are rejected, so that no address can end
    /// a line or start a second recipient.
    static func isValid(_ text: String) -> Bool {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        guard text.utf8.count <= 254, parts.count == 2, (1...64).contains(parts[0].utf8.count) else { return false }
        let atoms = parts[0].split(separator: ".", omittingEmptySubsequences: false)
        guard atoms.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(isAtom) }) else { return false }
        let labels = parts[1].split(separator: ".", omittingEmptySubsequences: false)
        return (1...253).contains(parts[1].utf8.count) && labels.allSatisfy(isLabel)
    }

    private static func isLabel(_ label: Substring) -> Bool {
        guard (1...63).contains(label.utf8.count), label.first != "-", label.last != "-" else { return false }
        return label.utf8.allSatisfy { isAlphanumeric($0) || $0 == UInt8(ascii: "-") }
    }

    private static func isAtom(_ byte: UInt8) -> Bool {
        isAlphanumeric(byte) || "!#$%&'*+-/=?^_`{|}~".utf8.contains(byte)
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }
}
