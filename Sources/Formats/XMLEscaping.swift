/// Escapes text for XML 1.0.
public enum XMLEscaping: Sendable {
    /// Returns the text as content or as an attribute's value in double quotes; what XML cannot represent becomes U+FFFD.
    public static func escaped(_ text: String) -> String {
        var result = ""
        result.reserveCapacity(text.utf8.count + 16)
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "\r": result += "&#13;"
            case "\t", "\n": result.unicodeScalars.append(scalar)
            case "\u{0}"..."\u{1F}", "\u{FFFE}", "\u{FFFF}": result += "\u{FFFD}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// Returns an element with text, or nothing if there is no text.
    public static func element(_ name: StaticString, _ content: String?) -> String {
        guard let content, !content.isEmpty else { return "" }
        return "<\(name)>\(escaped(content))</\(name)>"
    }
}
