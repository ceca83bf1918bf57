import Formats
import Stories

/// Normalises texts from files.
enum ImportText {
    /// Returns one line: control characters and line ends become spaces, which are removed at both ends.
    static func line(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else { return text.trimmed }
        let scalars = text.unicodeScalars.map { isControl($0) ? " " : $0 }
        return String(String.UnicodeScalarView(scalars)).trimmed
    }

    /// Returns paragraphs: line ends become line feeds, and control characters other than tabs are removed.
    static func paragraphs(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 < 0x20 && $0 != 0x0A || $0 == 0x7F }) else { return text.trimmed }
        var scalars = String.UnicodeScalarView()
        var previous: Unicode.Scalar = " "
        for scalar in text.unicodeScalars {
            if scalar == "\r" || (scalar == "\n" && previous != "\r") {
                scalars.append("\n")
            } else if scalar == "\t" || !isControl(scalar) {
                scalars.append(scalar)
            }
            previous = scalar
        }
        return String(scalars).trimmed
    }

    /// Returns whether two texts are the same but for blanks and the ends of lines.
    static func isSame(_ first: String, _ second: String) -> Bool {
        first.split(whereSeparator: \.isWhitespace) == second.split(whereSeparator: \.isWhitespace)
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value < 0x20 || scalar.value == 0x7F
    }

    /// Returns a line shortened to at most `limit` characters: it is cut after a word, and an ellipsis is added.
    static func shortened(_ line: String, limit: Int) -> String {
        let ellipsis = "…"
        let mostBytes = StoryLimits.mostBytes(characters: limit)
        var end = line.startIndex
        var lastSpace: String.Index?
        var (characters, bytes) = (ellipsis.count, ellipsis.utf8.count)
        while end < line.endIndex {
            characters += 1
            bytes += line[end].utf8.count
            if characters > limit || bytes > mostBytes { break }
            if line[end] == " " { lastSpace = end }
            end = line.index(after: end)
        }
        if end == line.endIndex { return line }
        return String(line[..<(lastSpace ?? end)]) + ellipsis
    }

    /// Returns the items of a JSON array of texts, as GDAL writes lists into tables; `nil` for anything else.
    static func array(_ text: String) -> [String]? {
        if let items = counted(text) { return items }
        guard text.hasPrefix("["), text.hasSuffix("]") else { return nil }
        let bytes = Array(text.utf8)
        let items = (try? JSONValue(parsing: bytes, limits: .init(bytes: bytes.count)))?.array
        return items?.compactMap(\.plainText)
    }

    /// Returns the items of `(2:a, b,c)`, as GDAL writes lists into formats that have none; `nil` for anything else.
    ///
    /// A comma separates items unless a blank follows it; the number of items must be the one given.
    private static func counted(_ text: String) -> [String]? {
        guard text.hasPrefix("("), text.hasSuffix(")"), let colon = text.firstIndex(of: ":"),
            let count = Int(text[text.index(after: text.startIndex)..<colon]), (0...10_000).contains(count)
        else { return nil }
        let inner = text[text.index(after: colon)...].dropLast()
        if count == 0 { return inner.isEmpty ? [] : nil }
        let parts = inner.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        if parts.count == count { return parts }
        var joined: [String] = []
        for part in parts {
            if part.hasPrefix(" "), !joined.isEmpty {
                joined[joined.count - 1] += "," + part
            } else {
                joined.append(part)
            }
        }
        return joined.count == count ? joined : nil
    }

    /// Returns the items of a list in one text.
    ///
    /// Names of persons and places contain commas, so lists of these are split only at `;`, `|` and the ends of lines.
    static func parts(_ text: String, splitsAtCommas: Bool) -> [String] {
        text.split { $0 == ";" || $0 == "|" || $0.isNewline || (splitsAtCommas && $0 == ",") }.map(String.init)
    }
}
