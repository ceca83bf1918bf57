public import Stories

/// How often a user is sent an e-mail with what they were told (DLV-05).
public struct DigestSchedule: Hashable, Sendable {
    /// How often.
    public enum Every: String, CaseIterable, Hashable, Sendable {
        /// Not at all.
        case never
        /// On one day of the week.
        case weekly
        /// On the first day of the month.
        case monthly
    }

    /// One digest: what was told from the beginning to before the end.
    public struct Window: Hashable, Sendable {
        /// The window's name, one of a kind for a user: `weekly` or `monthly` and the local day on which it ends.
        public let key: String
        /// What was told at this instant or later belongs to it.
        public let begins: Timestamp
        /// What was told at this instant or later does not; from then on it is due.
        public let ends: Timestamp
    }

    /// How often.
    public var every = Every.never
    /// The day of the week on which a weekly one is sent.
    public var day = Weekday.monday
    /// The hour of the day at which it is sent, 0...23.
    public var hour = 8
    /// Whether it takes the place of e-mails for single notifications.
    public var replacesSingles = false

    /// Creates no digest.
    public init() {}

    /// Whether a notification of a type waits for the next digest instead of going by e-mail by itself.
    ///
    /// Invitations do not wait: one can end before the digest comes.
    public func holdsBack(_ type: NoticeType) -> Bool { every != .never && replacesSingles && type != .invitation }

    /// The last window that has ended by `time`; `nil` when there is none at all.
    ///
    /// - Complexity: O(1), at most 62 days are looked at.
    public func lastWindow(before time: Timestamp, zone: ZoneOffset) -> Window? {
        guard every != .never, (0...23).contains(hour) else { return nil }
        let today = WallClock.day(of: time, zone: zone)
        var ends: [(day: Int64, at: Timestamp)] = []
        for day in stride(from: today, to: today - 64, by: -1) where begins(on: day) {
            let at = WallClock.instant(day: day, minute: hour * 60, zone: zone)
            if at <= time { ends.append((day, at)) }
            if ends.count == 2 { break }
        }
        guard ends.count == 2 else { return nil }
        return Window(key: "\(every.rawValue) \(ends[0].day)", begins: ends[1].at, ends: ends[0].at)
    }

    private func begins(on day: Int64) -> Bool {
        switch every {
        case .never: false
        case .weekly: Weekday(day: day) == self.day
        case .monthly: Int32(exactly: day).map { CalendarDay(daysSince1970: $0).components.day } == 1
        }
    }
}
