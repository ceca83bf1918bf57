import Stories

/// A year, month and day whose digits may be unspecified and whose parts may be qualified: `156X-12-25`, `2004?-06-~11`.
struct DatePattern {
    /// The year, the month and the day, each digit a value or `nil` if unspecified.
    private var parts: [[Int?]] = []
    private var isNegative = false
    /// Whether a part is qualified as approximate.
    private var isApproximate = false

    /// Creates a pattern, or `nil` if the text has another form.
    init?(_ text: some StringProtocol) {
        let bytes = Array(text.utf8)
        guard bytes.count <= 24 else { return nil }
        var at = 0
        func skipQualifier() -> Bool {
            guard at < bytes.count else { return false }
            switch bytes[at] {
            case UInt8(ascii: "?"): at += 1
            case UInt8(ascii: "~"), UInt8(ascii: "%"):
                at += 1
                return true
            default: break
            }
            return false
        }
        // What `?-1893` leaves open is the beginning, and 1893 is no year before Christ.
        if bytes.starts(with: "?-".utf8) { return nil }
        while true {
            if skipQualifier() { isApproximate = true }
            if parts.isEmpty, at < bytes.count, bytes[at] == UInt8(ascii: "-") {
                isNegative = true
                at += 1
            }
            let width = parts.isEmpty ? 4 : 2
            guard at + width <= bytes.count else { return nil }
            var digits: [Int?] = []
            for byte in bytes[at..<(at + width)] {
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"): digits.append(Int(byte - UInt8(ascii: "0")))
                case UInt8(ascii: "X"): digits.append(nil)
                default: return nil
                }
            }
            parts.append(digits)
            at += width
            if skipQualifier() { isApproximate = true }
            if at == bytes.count { return }
            guard bytes[at] == UInt8(ascii: "-"), parts.count < 3 else { return nil }
            at += 1
        }
    }

    /// Whether the pattern is a day with all its digits.
    var isPlainDay: Bool { parts.count == 3 && parts.allSatisfy { !$0.contains(nil) } }

    /// The meaning, or `nil` if there is no such date.
    var reading: ExtendedDate.Reading? {
        // The year 0000 means an unknown year far more often than 1 BC.
        if parts[0].allSatisfy({ $0 == nil }) || parts[0].allSatisfy({ $0 == 0 }) { return isNegative ? nil : .undated }
        guard parts.count > 1 else { return years }
        if parts.count == 2, let code = DatePattern.value(parts[1]), code >= 21 { return subdivision(code) }
        let months = (1...12).filter { DatePattern.matches($0, parts[1]) }
        let days = (1...31).filter { parts.count < 3 || DatePattern.matches($0, parts[2]) }
        // 2000 is a leap year: what does not exist in it exists in no year.
        guard DatePattern.day(in: 2000, months, days) != nil else { return nil }
        let bounds = DatePattern.bounds(parts[0])
        let magnitudes = bounds.lazy.filter { DatePattern.matches($0, parts[0]) }
        let (early, late) = isNegative ? (-1, -1) : (1, 1)
        func search(_ magnitudes: some Sequence<Int>, _ sign: Int, fromEnd: Bool) -> CalendarDay? {
            for magnitude in magnitudes {
                let year = sign * magnitude
                let found =
                    fromEnd
                    ? DatePattern.day(in: year, months.reversed(), days.reversed())
                    : DatePattern.day(in: year, months, days)
                if let found { return found }
            }
            return nil
        }
        let first =
            isNegative
            ? search(magnitudes.reversed(), early, fromEnd: false) : search(magnitudes, early, fromEnd: false)
        let last =
            isNegative ? search(magnitudes, late, fromEnd: true) : search(magnitudes.reversed(), late, fromEnd: true)
        guard let first, let last else { return nil }
        return .days(first...last)
    }

    /// The years of a pattern without a month; an approximate one extends as far as `ca.` does.
    private var years: ExtendedDate.Reading {
        let bounds = DatePattern.bounds(parts[0])
        let years = isNegative ? (-bounds.upperBound)...(-bounds.lowerBound) : bounds
        guard isApproximate, years.count == 1 else { return ExtendedDate.days(of: years) }
        return ExtendedDate.days(
            of: (years.lowerBound - DateSpan.circaYears)...(years.upperBound + DateSpan.circaYears)
        )
    }

    /// The days of a season, a quarter or another subdivision of a year, by its code.
    private func subdivision(_ code: Int) -> ExtendedDate.Reading? {
        guard let magnitude = DatePattern.value(parts[0]) else { return nil }
        let year = isNegative ? -magnitude : magnitude
        let days: ClosedRange<CalendarDay>?
        switch code {
        case 21...24: days = Season(rawValue: code - 21)?.days(in: year)
        case 25...28: days = Season(rawValue: code - 25)?.days(in: year, isNorth: true)
        case 29...32: days = Season(rawValue: code - 29)?.days(in: year, isNorth: false)
        case 33...36: days = DateSpan.months(year, (code - 33) * 3 + 1, count: 3)
        case 37...39: days = DateSpan.months(year, (code - 37) * 4 + 1, count: 4)
        case 40...41: days = DateSpan.months(year, (code - 40) * 6 + 1, count: 6)
        default: days = nil
        }
        return days.map(ExtendedDate.Reading.days)
    }

    private static func matches(_ number: Int, _ digits: [Int?]) -> Bool {
        var rest = number
        for digit in digits.reversed() {
            if let digit, digit != rest % 10 { return false }
            rest /= 10
        }
        return true
    }

    private static func bounds(_ digits: [Int?]) -> ClosedRange<Int> {
        digits.reduce(0) { $0 * 10 + ($1 ?? 0) }...digits.reduce(0) { $0 * 10 + ($1 ?? 9) }
    }

    private static func value(_ digits: [Int?]) -> Int? {
        digits.contains(nil) ? nil : bounds(digits).lowerBound
    }

    /// Returns the first of the days that exists in a year.
    private static func day(in year: Int, _ months: some Sequence<Int>, _ days: some Sequence<Int>) -> CalendarDay? {
        for month in months {
            for day in days {
                if let found = CalendarDay(year: year, month: month, day: day) { return found }
            }
        }
        return nil
    }
}
