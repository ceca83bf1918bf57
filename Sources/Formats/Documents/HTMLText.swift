/// Turns the HTML of descriptions into plain text.
enum HTMLText {
    /// Returns the text without tags and with the letters that entities stand for.
    ///
    /// A text without any known tag keeps its angle brackets and lines. Of the others, a `<` that begins no tag is text,
    /// as it is for browsers (HTML Living Standard, §13.2.5.6).
    ///
    /// - Complexity: O(characters).
    static func plain(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 == UInt8(ascii: "<") || $0 == UInt8(ascii: "&") }) else { return text }
        guard hasTags(text) else { return HTMLEntity.decoded(text) }
        return withoutEmptyLines(HTMLEntity.decoded(withoutTags(Array(text.utf8))))
    }

    private static func hasTags(_ text: String) -> Bool {
        let lower = text.lowercased()
        let tags = [
            "<br", "<p>", "<p ", "</p", "<div", "<img", "<a ", "<b>", "<i>", "<table", "<span", "<ul", "<h", "<em>",
            "<strong>", "<u>", "<font", "<center", "<li>", "<ol>", "<!--",
        ]
        return tags.contains(where: lower.contains)
    }

    private static func withoutTags(_ bytes: [UInt8]) -> String {
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count)
        var index = 0
        // Behind the last ">" nothing is a tag; it is looked for once.
        let last = bytes.lastIndex(of: UInt8(ascii: ">")) ?? 0
        while index < bytes.count {
            guard bytes[index] == UInt8(ascii: "<"), index < last, isTagStart(bytes[index + 1]),
                let end = end(of: bytes, from: index)
            else {
                output.append(bytes[index])
                index += 1
                continue
            }
            let tag = String(decoding: bytes[(index + 1)..<end].prefix(12), as: UTF8.self).lowercased()
            let name = tag.drop { $0 == "/" }.prefix { $0.isLetter || $0.isNumber }
            if ["br", "p", "div", "tr", "li", "table", "ul", "ol", "h1", "h2", "h3"].contains(name) {
                output.append(UInt8(ascii: "\n"))
            } else if name == "td" || name == "th" {
                output.append(UInt8(ascii: " "))
            }
            index = end + 1
        }
        return String(decoding: output, as: UTF8.self)
    }

    /// Returns the index of the `>` that ends a tag or a comment, which may contain others.
    private static func end(of bytes: [UInt8], from start: Int) -> Int? {
        guard bytes[start...].starts(with: "<!--".utf8) else {
            return bytes[start...].firstIndex(of: UInt8(ascii: ">"))
        }
        let rest = bytes[start...].dropFirst(4)
        return rest.firstRange(of: Array("-->".utf8)).map { $0.upperBound - 1 } ?? bytes.count - 1
    }

    private static func isTagStart(_ byte: UInt8) -> Bool {
        let letter = byte | 0x20
        return (0x61...0x7A).contains(letter) || byte == UInt8(ascii: "/") || byte == UInt8(ascii: "!")
    }

    /// Puts at most one empty line between paragraphs.
    private static func withoutEmptyLines(_ text: String) -> String {
        var lines: [Substring] = []
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.allSatisfy(\.isWhitespace), lines.last?.allSatisfy(\.isWhitespace) ?? true { continue }
            lines.append(line)
        }
        return lines.joined(separator: "\n")
    }
}
