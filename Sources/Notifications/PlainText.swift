/// Words of somebody's that are shown to somebody else, without what could garble or disguise what stands around them.
public enum PlainText: Sendable {
    /// A text in one line: control characters and ends of lines become blanks, marks that turn the direction of what
    /// follows are left out.
    public static func line(_ text: String) -> String { plain(text, keepsLines: false) }

    /// A text of several lines: as ``line(_:)``, but `LF` stays, and `CR LF` becomes `LF`.
    public static func lines(_ text: String) -> String { plain(text, keepsLines: true) }

    /// Whether anything of a text can be seen.
    public static func isVisible(_ text: String) -> Bool {
        text.unicodeScalars.contains { !$0.properties.isWhitespace && !$0.properties.isDefaultIgnorableCodePoint }
    }

    private static func plain(_ text: String, keepsLines: Bool) -> String {
        var plain = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0x0A where keepsLines: plain.append(scalar)
            case 0x0D where keepsLines: continue
            // Controls and separators of lines.
            case 0..<0x20, 0x7F..<0xA0, 0x2028, 0x2029: plain.append(" ")
            // Embeddings, overrides and isolates; the marks of single letters, which right-to-left names need, stay.
            case 0x202A...0x202E, 0x2066...0x2069: continue
            default: plain.append(scalar)
            }
        }
        return String(plain)
    }
}
