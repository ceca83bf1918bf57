public import Stories

/// A language and regional format for dates shown to people.
///
/// To add a language, add one row to ``all``. Messages exist only in English so far, so only English formats are
/// listed.
public struct DateLanguage: Hashable, Sendable {
    /// A component of a formatted date.
    enum Part: Hashable, Sendable {
        case weekday, day, month, year, time
        case text(String)
    }

    /// Its tag (BCP 47).
    public let tag: String
    let weekdays: [String]
    let months: [String]
    let order: [Part]
    /// The markers before and after noon on a 12-hour clock; `nil` for a 24-hour clock.
    let halves: (morning: String, afternoon: String)?

    /// English with the day before the month and a 24-hour clock: "Saturday, 21 November 2026 at 13:05".
    public static let english = DateLanguage(
        tag: "en",
        weekdays: englishWeekdays,
        months: englishMonths,
        order: [
            .weekday, .text(", "), .day, .text(" "), .month, .text(" "), .year, .text(" at "), .time,
        ],
        halves: nil
    )
    /// US English: "Saturday, November 21, 2026 at 1:05 PM".
    public static let american = DateLanguage(
        tag: "en-US",
        weekdays: englishWeekdays,
        months: englishMonths,
        order: [
            .weekday, .text(", "), .month, .text(" "), .day, .text(", "), .year, .text(" at "), .time,
        ],
        halves: ("AM", "PM")
    )
    /// All supported languages.
    public static let all = [english, american]

    /// Returns the language with a tag; `nil` if it is not supported.
    public static func named(_ tag: String) -> DateLanguage? { all.first { $0.tag == tag } }

    /// Compares by tag.
    public static func == (a: DateLanguage, b: DateLanguage) -> Bool { a.tag == b.tag }

    /// Hashes the tag.
    public func hash(into hasher: inout Hasher) { hasher.combine(tag) }

    private static let englishWeekdays = [
        "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday",
    ]
    private static let englishMonths = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
        "December",
    ]
}

/// Formats times for people, in their time zone and language.
public enum DateWords: Sendable {
    /// Formats a timestamp, followed by the name of the time zone if one is given.
    ///
    /// - Parameters:
    ///   - time: the timestamp.
    ///   - zone: the offsets of the zone in which the time is shown.
    ///   - language: the reader's language.
    ///   - zoneName: the name of `zone`, added in brackets if the reader's own zone is unknown; otherwise `nil`.
    /// - Returns: for example "Saturday, 21 November 2026 at 13:05".
    public static func words(
        _ time: Timestamp,
        zone: ZoneOffset,
        language: DateLanguage = .english,
        zoneName: String? = nil
    ) -> String {
        let day = WallClock.day(of: time, zone: zone)
        guard let number = Int32(exactly: day) else { return "an unknown time" }
        let date = CalendarDay(daysSince1970: number).components
        let local = time.milliseconds + Int64(zone(time)) * 1_000
        let minute = Int((local - day * 86_400_000) / 60_000)
        let weekday = Weekday.allCases.firstIndex(of: Weekday(day: day)) ?? 0
        let text = language.order.map { part in
            switch part {
            case .weekday: language.weekdays[weekday]
            case .day: String(date.day)
            case .month: language.months[date.month - 1]
            case .year: String(date.year)
            case .time: clock(minute, language)
            case .text(let text): text
            }
        }
        return text.joined() + (zoneName.map { " (\($0))" } ?? "")
    }

    private static func clock(_ minute: Int, _ language: DateLanguage) -> String {
        func padded(_ number: Int) -> String { number < 10 ? "0\(number)" : String(number) }
        guard let halves = language.halves else { return padded(minute / 60) + ":" + padded(minute % 60) }
        let hour = (minute / 60 + 11) % 12 + 1
        return "\(hour):\(padded(minute % 60)) \(minute < 720 ? halves.morning : halves.afternoon)"
    }
}
