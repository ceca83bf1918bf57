/// Language codes as entered by people.
public enum LanguageCode: Sendable {
    /// Returns whether a text looks like an ISO 639 code, two or three letters, optionally with a script or country:
    /// "es", "zh-Hant".
    public static func isCode(_ text: some StringProtocol) -> Bool {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard let language = parts.first, (2...3).contains(language.utf8.count), language.utf8.allSatisfy(isLetter)
        else {
            return false
        }
        return parts.dropFirst()
            .allSatisfy { part in
                (2...4).contains(part.utf8.count)
                    && part.utf8.allSatisfy { isLetter($0) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            }
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }
}
