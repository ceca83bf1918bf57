public import Stories

/// The offsets of a time zone: seconds east of Greenwich at an instant.
///
/// Given from outside: the zones' history is the system's to know, the rules here are not.
public typealias ZoneOffset = (Timestamp) -> Int

/// A day of the week.
public enum Weekday: String, CaseIterable, Hashable, Sendable {
    /// Monday.
    case monday = "mon"
    /// Tuesday.
    case tuesday = "tue"
    /// Wednesday.
    case wednesday = "wed"
    /// Thursday.
    case thursday = "thu"
    /// Friday.
    case friday = "fri"
    /// Saturday.
    case saturday = "sat"
    /// Sunday.
    case sunday = "sun"

    /// The weekday of a day in days since 1970-01-01, a Thursday.
    public init(day: Int64) {
        let index = Int(((day % 7) + 10) % 7)
        self = Weekday.allCases[index]
    }
}

/// When a user is not to be disturbed, week by week, on the clock of their zone (DLV-05).
public struct QuietHours: Hashable, Sendable {
    /// A span of the clock on some days; one that ends before it begins ends on the day after.
    public struct Window: Hashable, Sendable {
        /// The days on which it begins.
        public let days: Set<Weekday>
        /// The minute of the day at which it begins, 0...1439.
        public let from: Int
        /// The minute of the day at which it ends, 1...1440.
        public let to: Int

        /// Creates a window; `nil` for one without days, without length, or outside the day.
        public init?(days: Set<Weekday>, from: Int, to: Int) {
            guard !days.isEmpty, (0...1_439).contains(from), (1...1_440).contains(to), from != to else { return nil }
            self.days = days
            self.from = from
            self.to = to
        }
    }

    /// The most windows.
    public static let mostWindows = 21

    /// The windows; none means never quiet.
    public var windows: [Window] = []

    /// Creates no quiet hours.
    public init() {}

    /// When the quiet that reigns at `time` ends; `nil` when there is none.
    ///
    /// Windows that touch are one. Begin and end are where the zone's clock shows them first; a time that the clock
    /// leaves out in spring is the first one after. Quiet without an end is said to end after a week.
    public func end(at time: Timestamp, zone: ZoneOffset) -> Timestamp? {
        guard !windows.isEmpty else { return nil }
        let today = WallClock.day(of: time, zone: zone)
        var quiet: [Range<Timestamp>] = []
        for day in today - 2...today + 9 { quiet += spans(beginningOn: day, zone: zone) }
        var end = time
        while let furthest = quiet.filter({ $0.contains(end) }).map(\.upperBound).max() { end = furthest }
        return end > time ? end : nil
    }

    private func spans(beginningOn day: Int64, zone: ZoneOffset) -> [Range<Timestamp>] {
        windows.compactMap { window in
            guard window.days.contains(Weekday(day: day)) else { return nil }
            let begin = WallClock.instant(day: day, minute: window.from, zone: zone)
            let lastDay = window.to < window.from ? day + 1 : day
            let end = WallClock.instant(day: lastDay, minute: window.to, zone: zone)
            return begin < end ? begin..<end : nil
        }
    }
}

/// What a clock on the wall shows, and when it shows it.
enum WallClock {
    /// The local day of an instant, in days since 1970-01-01.
    static func day(of time: Timestamp, zone: ZoneOffset) -> Int64 {
        floor(time.milliseconds + Int64(zone(time)) * 1_000, 86_400_000)
    }

    /// The first instant at which the clock shows a minute of a day, 0...1440; of one that it leaves out, the instant at
    /// which it leaps over it.
    static func instant(day: Int64, minute: Int, zone: ZoneOffset) -> Timestamp {
        let local = day * 86_400_000 + Int64(minute) * 60_000
        let (before, after) = (Timestamp(milliseconds: local - 86_400_000), Timestamp(milliseconds: local + 86_400_000))
        let offsets = [zone(before), zone(after)]
        let candidates = offsets.map { Timestamp(milliseconds: local - Int64($0) * 1_000) }
            .filter { $0.milliseconds + Int64(zone($0)) * 1_000 == local }
        if let first = candidates.min() { return first }
        // The leap is where the offset stops being the earlier one.
        var (low, high) = (before.milliseconds, after.milliseconds)
        while high - low > 1 {
            let middle = low + (high - low) / 2
            if zone(Timestamp(milliseconds: middle)) == offsets[0] { low = middle } else { high = middle }
        }
        return Timestamp(milliseconds: high)
    }

    /// Division that rounds down.
    private static func floor(_ value: Int64, _ divisor: Int64) -> Int64 {
        value >= 0 ? value / divisor : -((divisor - 1 - value) / divisor)
    }
}
