public import Stories

/// How often a user is sent a digest of their notifications by e-mail (DLV-05).
public struct DigestSchedule: Hashable, Sendable {
    /// The frequency of the digest.
    public enum Every: String, CaseIterable, Hashable, Sendable {
        /// Never.
        case never
        /// On one day of the week.
        case weekly
        /// On the first day of the month.
        case monthly
    }

    /// The period of one digest, excluding its end.
    public struct Window: Hashable, Sendable {
        /// A name that is unique per user: `weekly` or `monthly`, a space, and the local day on which the window ends,
        /// in days since 1970-01-01.
        public let key: String
        /// The start; notifications at this instant or later are included.
        public let begins: Timestamp
        /// The end; notifications at this instant or later are excluded, and the digest is due.
        public let ends: Timestamp
    }

    /// The frequency.
    public var every = Every.never
    /// The day of the week for a weekly digest.
    public var day = Weekday.monday
    /// The hour of the day for the digest, 0...23.
    public var hour = 8
    /// Whether the digest replaces e-mails for single notifications.
    public var replacesSingles = false

    /// Creates a schedule without digests.
    public init() {}

    /// Returns whether a notification of a type waits for the next digest instead of being sent as its own e-mail.
    ///
    /// Invitations do not wait, because they can expire before the digest.
    public func holdsBack(_ type: NoticeType) -> Bool { every != .never && replacesSingles && type != .invitation }

    /// Returns the last window that has ended by `time`; `nil` if there is none.
    ///
    /// - Complexity: O(1), checks at most 62 days.
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
