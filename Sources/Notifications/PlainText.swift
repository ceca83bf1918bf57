import Stories

/// Words of somebody's that are shown to somebody else, without what could garble or disguise what stands around them.
public enum PlainText: Sendable {
    /// A text in one line: control characters and ends of lines become blanks, marks that turn the direction of what
    /// follows are left out.
    public static func line(_ text: String) -> String { plain(text, keepsLines: false) }

    /// A text of several lines: as ``line(_:)``, but `LF` stays, and `CR LF` becomes `LF`.
    public static func lines(_ text: String) -> String { plain(text, keepsLines: true) }

    /// Whether anything of a text can be seen.
    public static func isVisible(_ text: String) -> Bool {
        text.unicodeScalars.contains(where: \.isVisible)
    }

    private static func plain(_ text: String, keepsLines: Bool) -> String {
        var plain = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\n" where keepsLines: plain.append(scalar)
            case "\r" where keepsLines: continue
            case _ where scalar.breaksLine: plain.append(" ")
            case _ where scalar.turnsText: continue
            default: plain.append(scalar)
            }
        }
        return String(plain)
    }
}
