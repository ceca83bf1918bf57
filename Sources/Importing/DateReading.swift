package import Stories

/// The result of parsing a date.
package enum DateReading: Hashable, Sendable {
    /// The date was parsed.
    case date(StoryDate)
    /// The date was parsed in part.
    case partial(StoryDate)
    /// The text states that no date is known.
    case unknown
    /// The text cannot be parsed.
    case unreadable

    /// Parses a date as written in archives: exact, doubtful, a list or a range, as the span of possible days.
    ///
    /// `ca. 1920` extends five years to either side; `1920s` and `192-` mean the decade; `5/3/1911`, which may be May
    /// or March, means the year. A list spans from its first to its last day.
    package init(_ text: String) {
        if let exact = StoryDate(text) {
            self = .date(exact)
            return
        }
        var plain = DateReading.plain(text)
        for word in ["between ", "from "] where plain.hasPrefix(word) { plain.removeFirst(word.count) }
        guard StoryLimits.fits(plain, characters: StoryLimits.dateLength) else {
            self = .unreadable
            return
        }
        self = DateReading.list(plain, text: text)
    }

    /// Returns the text in lower case, without brackets, with dashes as hyphens and single spaces.
    private static func plain(_ text: String) -> String {
        var result = ""
        for character in text.lowercased() {
            switch character {
            case "[", "]", "(", ")", "{", "}", "\"", "<", ">": continue
            case "\u{2010}", "\u{2011}", "\u{2012}", "\u{2013}", "\u{2014}": result.append("-")
            case _ where character.isWhitespace: if !result.isEmpty, result.last != " " { result.append(" ") }
            default: result.append(character)
            }
        }
        while result.last == " " || result.last == "," || result.last == ";" { result.removeLast() }
        return result
    }

    private static func list(_ plain: String, text: String) -> DateReading {
        var parts = plain.split(separator: ";").map(String.init)
        for word in [" and ", " & ", " or "] {
            parts = parts.flatMap { $0.split(separator: word).map(String.init) }
        }
        var days: ClosedRange<CalendarDay>?
        var isPartial = false
        for part in parts {
            let part = part.trimmed
            if part.isEmpty || isNoDate(part) { continue }
            guard let range = DatePhrase(part).days else {
                isPartial = true
                continue
            }
            let first = min(days?.lowerBound ?? range.lowerBound, range.lowerBound)
            days = first...max(days?.upperBound ?? range.upperBound, range.upperBound)
        }
        guard let days else { return isPartial ? .unreadable : .unknown }
        guard let date = StoryDate(text: text, first: days.lowerBound, last: days.upperBound) else {
            return .unreadable
        }
        return isPartial ? .partial(date) : .date(date)
    }

    /// Returns whether a text states that no date is known, such as `n.d.`.
    private static func isNoDate(_ part: String) -> Bool {
        let words: Set<String> = [
            "nd", "sd", "n/d", "undated", "unknown", "no date", "date unknown", "unknown date", "none", "n/a", "na",
            "?", "-",
        ]
        return words.contains(part.filter { $0 != "." })
    }
}

extension String {
    /// The text without leading and trailing white space.
    package var trimmed: String {
        // Nearly all texts begin and end with a visible ASCII character.
        if let first = utf8.first, let last = utf8.last, (0x21...0x7E).contains(first), (0x21...0x7E).contains(last) {
            return self
        }
        guard let first = firstIndex(where: { !$0.isWhitespace }) else { return "" }
        guard let last = lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return first == startIndex && last == index(before: endIndex) ? self : String(self[first...last])
    }
}
