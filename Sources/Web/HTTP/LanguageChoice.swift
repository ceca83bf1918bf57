package import HTTPTypes

/// Chooses the language of an answer: the reader's own choice, otherwise what the browser asks for.
package enum LanguageChoice: Sendable {
    /// The name of the cookie that keeps a reader's choice; the page itself sets it.
    package static let cookieName = "language"

    /// The maximum number of ranges of a header that are read.
    private static let most = 64

    /// Returns one of the available languages, in lower case; the first of them is the default.
    ///
    /// A cookie that names one of them decides, otherwise `Accept-Language` (RFC 9110 §12.5.4): the language of the highest
    /// quality, of equal ones that which is named first. What cannot be read is passed over.
    package static func language(for headers: HTTPFields, among available: [String]) -> String {
        let fallback = available.first ?? "en"
        if let chosen = cookie(of: headers), available.contains(chosen) { return chosen }
        let ranges = headers[values: .acceptLanguage].flatMap { $0.split(separator: ",") }.prefix(most)
            .compactMap { Range($0) }
        let ranked = available.enumerated()
            .compactMap { index, language -> (language: String, quality: Int, order: Int, index: Int)? in
                guard let (quality, order) = quality(of: language, in: ranges), quality > 0 else { return nil }
                return (language, quality, order, index)
            }
        return ranked.min { ($1.quality, $0.order, $0.index) < ($0.quality, $1.order, $1.index) }?.language ?? fallback
    }

    /// An element of `Accept-Language`.
    private struct Range {
        let tag: String
        /// The quality in thousandths.
        let quality: Int

        /// Reads an element; `nil` if it is none.
        init?(_ text: Substring) {
            let parts = text.split(separator: ";", omittingEmptySubsequences: false).map(LanguageChoice.trimmed)
            guard let tag = parts.first?.lowercased(), parts.count <= 2, Range.isRange(tag) else { return nil }
            self.tag = tag
            guard parts.count == 2 else {
                quality = 1_000
                return
            }
            let weight = parts[1].lowercased()
            guard weight.hasPrefix("q="), let thousandths = Range.thousandths(weight.dropFirst(2)) else { return nil }
            quality = thousandths
        }

        /// Whether a text is `*`, or parts of one to eight letters and digits.
        private static func isRange(_ text: String) -> Bool {
            if text == "*" { return true }
            let parts = text.split(separator: "-", omittingEmptySubsequences: false)
            return parts.allSatisfy { part in
                (1...8).contains(part.utf8.count)
                    && part.utf8.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) }
            }
        }

        /// Returns a weight such as `0.85` in thousandths; `nil` unless it is 0 to 1 with at most three decimals.
        private static func thousandths(_ text: Substring) -> Int? {
            let parts = text.split(separator: ".", omittingEmptySubsequences: false)
            guard parts.count <= 2, let whole = parts.first, whole == "0" || whole == "1" else { return nil }
            let digits = parts.count == 2 ? parts[1] : ""
            guard digits.utf8.count <= 3, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
                let fraction = Int(digits + String(repeating: "0", count: 3 - digits.utf8.count))
            else { return nil }
            let value = (whole == "1" ? 1_000 : 0) + fraction
            return value <= 1_000 ? value : nil
        }
    }

    /// Returns the quality of a language and the place of the range that decides it; `nil` if no range is about it.
    ///
    /// The language itself counts before one of its regions (`es-MX` for `es`), and that before `*`.
    private static func quality(of language: String, in ranges: [Range]) -> (quality: Int, order: Int)? {
        let matches: [(String) -> Bool] = [{ $0 == language }, { $0.hasPrefix(language + "-") }, { $0 == "*" }]
        for isMatch in matches {
            let found = ranges.enumerated().filter { isMatch($0.element.tag) }
            if let best = found.min(by: { ($1.element.quality, $0.offset) < ($0.element.quality, $1.offset) }) {
                return (best.element.quality, best.offset)
            }
        }
        return nil
    }

    private static func cookie(of headers: HTTPFields) -> String? {
        headers[values: .cookie].flatMap { $0.split(separator: ";") }
            .compactMap { pair -> String? in
                let pair = trimmed(pair)
                guard pair.hasPrefix(cookieName + "=") else { return nil }
                return pair.dropFirst(cookieName.count + 1).lowercased()
            }
            .first
    }

    private static func trimmed(_ text: Substring) -> Substring {
        let start = text.drop { $0 == " " || $0 == "\t" }
        guard let last = start.lastIndex(where: { $0 != " " && $0 != "\t" }) else { return start.prefix(0) }
        return start[...last]
    }
}
