import Stories

/// User-supplied text made safe to show to others: nothing in it can garble or disguise the surrounding text.
public enum PlainText: Sendable {
    /// Returns a text on one line: control characters and line breaks become spaces, and bidirectional control
    /// characters are removed.
    public static func line(_ text: String) -> String { plain(text, keepsLines: false) }

    /// Returns a text of several lines: as ``line(_:)``, but `LF` is kept, and `CR LF` becomes `LF`.
    public static func lines(_ text: String) -> String { plain(text, keepsLines: true) }

    /// Returns whether a text has any visible characters.
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
