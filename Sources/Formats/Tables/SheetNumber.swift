import Geometry
import Stories

/// Formats the numbers of cells as people see them.
enum SheetNumber {
    /// What a number format shows.
    enum Style: Hashable, Sendable {
        /// A plain number.
        case plain
        /// A date, down to the given part.
        case year, month, day, moment
        /// A time of day.
        case time
    }

    /// Returns a number without the digits that binary fractions add: `33.749000000000002` is `33.749`.
    static func plain(_ text: String) -> String {
        guard let number = DecimalText.number(text) else { return text }
        if let whole = Int64(exactly: number), whole.magnitude < 1 << 53 { return String(whole) }
        return number.description
    }

    /// Returns the text of a number in a style; `text` as a plain number if it is no date.
    static func text(_ text: String, style: Style, from1904: Bool) -> String {
        guard style != .plain, let serial = DecimalText.number(text), (0..<2_958_466).contains(serial) else {
            return plain(text)
        }
        var days = Int(serial)
        var seconds = Int(((serial - Double(days)) * 86_400).rounded())
        if seconds == 86_400 { (days, seconds) = (days + 1, 0) }
        let clock = [seconds / 3_600, seconds / 60 % 60, seconds % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }
            .joined(separator: ":")
        if style == .time { return days == 0 ? clock : plain(text) }
        // Excel counts a 29 February 1900, day 60, that never was.
        guard from1904 || days > 60 || (1..<60).contains(days) else { return plain(text) }
        let base: Int32 = from1904 ? -24_107 : days < 60 ? -25_568 : -25_569
        let date = CalendarDay(daysSince1970: base + Int32(days)).description
        return switch style {
        case .year: String(date.prefix(4))
        case .month: String(date.prefix(7))
        case .moment where seconds != 0: "\(date)T\(clock)"
        default: date
        }
    }

    /// Returns the style of one of Excel's built-in formats.
    static func style(builtIn id: Int) -> Style {
        switch id {
        case 14, 15, 16, 27...31, 36, 50...54, 57, 58: .day
        case 17, 55, 56: .month
        case 18...21, 32...35, 45...47: .time
        case 22: .moment
        default: .plain
        }
    }

    /// Returns the style that a format code such as `d. mmm yyyy;@` means.
    static func style(code: String) -> Style {
        var letters: Set<Character> = []
        var bracket: Set<Character> = []
        var isQuoted = false
        var isBracketed = false
        var isEscaped = false
        // Only the first section is for positive numbers.
        for character in code.lowercased().prefix(200) {
            if isEscaped {
                isEscaped = false
            } else if character == "\"" {
                isQuoted.toggle()
            } else if isQuoted {
                continue
            } else if character == "\\" || character == "_" || character == "*" {
                isEscaped = true
            } else if character == "[" {
                (isBracketed, bracket) = (true, [])
            } else if character == "]" {
                isBracketed = false
                // [h] counts hours beyond a day; other brackets are colours and languages.
                if bracket.count == 1, !bracket.isDisjoint(with: ["h", "m", "s"]) { return .plain }
            } else if character == ";" {
                break
            } else if isBracketed {
                bracket.insert(character)
            } else {
                letters.insert(character)
            }
        }
        // "General" and "Standard" are words, not letters of a date.
        guard letters.isDisjoint(with: ["#", "0", "?", "@", "g", "l"]) || letters.contains("y") else { return .plain }
        let hasClock = letters.contains("h") || letters.contains("s")
        if letters.contains("y") || letters.contains("d") {
            if hasClock { return .moment }
            return letters.contains("d") ? .day : letters.contains("m") ? .month : .year
        }
        return hasClock ? .time : letters.contains("m") ? .month : .plain
    }
}
