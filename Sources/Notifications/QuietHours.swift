public import Stories

/// The offsets of a time zone: seconds east of Greenwich at an instant.
///
/// Injected, because the history of time zones comes from the system and the rules here must not depend on it.
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

    /// Creates the weekday of a day counted from 1970-01-01, a Thursday.
    public init(day: Int64) {
        let index = Int(((day % 7) + 10) % 7)
        self = Weekday.allCases[index]
    }
}

/// The weekly hours when a user is not to be disturbed, in their time zone (DLV-05).
public struct QuietHours: Hashable, Sendable {
    /// A range of clock times on some days; one that ends before it begins ends on the next day.
    public struct Window: Hashable, Sendable {
        /// The days on which it begins.
        public let days: Set<Weekday>
        /// The minute of the day at which it begins, 0...1439.
        public let from: Int
        /// The minute of the day at which it ends, 1...1440.
        public let to: Int

        /// Creates a window; `nil` if `days` is empty, if `from` equals `to`, or if one of them is out of range.
        public init?(days: Set<Weekday>, from: Int, to: Int) {
            guard !days.isEmpty, (0...1_439).contains(from), (1...1_440).contains(to), from != to else { return nil }
            self.days = days
            self.from = from
            self.to = to
        }
    }

    /// The maximum number of windows.
    public static let mostWindows = 21

    /// The windows; none means never quiet.
    public var windows: [Window] = []

    /// Creates quiet hours without windows.
    public init() {}

    /// Returns the end of the quiet hours in effect at `time`; `nil` if there are none.
    ///
    /// Adjoining windows are merged. A window starts and ends when the zone's clock first shows its times; if a time is
    /// skipped in spring, the first time after the gap counts instead. For windows that together cover the whole week,
    /// returns a time more than a week after `time`.
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

/// Conversions between instants and local clock times.
enum WallClock {
    /// Returns the local day of an instant, in days since 1970-01-01.
    static func day(of time: Timestamp, zone: ZoneOffset) -> Int64 {
        floor(time.milliseconds + Int64(zone(time)) * 1_000, 86_400_000)
    }

    /// Returns the first instant at which the clock shows a minute of a day, 0...1440; for a skipped minute, the
    /// instant of the jump.
    static func instant(day: Int64, minute: Int, zone: ZoneOffset) -> Timestamp {
        let local = day * 86_400_000 + Int64(minute) * 60_000
        let (before, after) = (Timestamp(milliseconds: local - 86_400_000), Timestamp(milliseconds: local + 86_400_000))
        let offsets = [zone(before), zone(after)]
        let candidates = offsets.map { Timestamp(milliseconds: local - Int64($0) * 1_000) }
            .filter { $0.milliseconds + Int64(zone($0)) * 1_000 == local }
        if let first = candidates.min() { return first }
        // The jump is where the offset changes from the earlier one.
        var (low, high) = (before.milliseconds, after.milliseconds)
        while high - low > 1 {
            let middle = low + (high - low) / 2
            if zone(Timestamp(milliseconds: middle)) == offsets[0] { low = middle } else { high = middle }
        }
        return Timestamp(milliseconds: high)
    }

    /// Divides, rounding down.
    private static func floor(_ value: Int64, _ divisor: Int64) -> Int64 {
        value >= 0 ? value / divisor : -((divisor - 1 - value) / divisor)
    }
}
