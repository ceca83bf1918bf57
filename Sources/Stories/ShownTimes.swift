/// How coarsely the times of a story are shown beside a coarser place (PRV-09).
///
/// Owner, exact date and order of creation would place a story between its neighbours of the same walk, far better than
/// its cell does. So the larger the cell, the longer the period that stands for a time.
public enum TimePrecision: Int, Comparable, Hashable, Sendable {
    /// As they are.
    case exact
    /// The month, beside a cell of 0.01 degrees.
    case month
    /// The year, beside a cell of 0.1 degrees or a hidden place.
    case year
    /// The ten years from one that ends with a 0, beside a cell of one degree.
    case decade

    /// The precision of times beside a place that is shown this exactly.
    public init(beside precision: LocationPrecision) {
        switch precision {
        case .exact: self = .exact
        case .approximate(.hundredth): self = .month
        case .approximate(.tenth), .hidden: self = .year
        case .approximate(.degree): self = .decade
        }
    }

    /// Orders precisions from exact to coarse.
    public static func < (a: TimePrecision, b: TimePrecision) -> Bool { a.rawValue < b.rawValue }

    /// The days of the period that holds a day.
    public func period(of day: CalendarDay) -> ClosedRange<CalendarDay> {
        let (year, month, _) = day.components
        switch self {
        case .exact: return day...day
        case .month: return StoryDate.days(year: year, month: month, day: nil) ?? day...day
        case .year: return StoryDate.days(year: year, month: nil, day: nil) ?? day...day
        case .decade:
            let first = year - year % 10
            guard let start = CalendarDay(year: max(1, first), month: 1, day: 1),
                let end = CalendarDay(year: first + 9, month: 12, day: 31)
            else { return day...day }
            return start...end
        }
    }

    /// The date widened to whole periods, in the words of its days alone: its own text can name the very day.
    public func widened(_ date: StoryDate) -> StoryDate {
        guard self != .exact else { return date }
        return StoryDate(wholeMonthsFrom: period(of: date.first).lowerBound, to: period(of: date.last).upperBound)
    }

    /// The first instant, in UTC, of the period that holds an instant.
    public func start(of time: Timestamp) -> Timestamp {
        guard self != .exact else { return time }
        // No calendar holds a time outside the years 1 to 9999: nothing is told of it.
        guard let day = time.day else { return Timestamp(milliseconds: 0) }
        return Timestamp(milliseconds: Int64(period(of: day).lowerBound.daysSince1970) * 86_400_000)
    }
}

extension StoryDate {
    /// The date from the first day of a month to the last day of one, in the shortest text that ``init(_:)`` reads.
    fileprivate init(wholeMonthsFrom first: CalendarDay, to last: CalendarDay) {
        let (start, end) = (first.components, last.components)
        // `YYYY` where whole years are meant, else `YYYY-MM`.
        let length = start.month == 1 && end.month == 12 ? 4 : 7
        let (from, to) = (first.description.prefix(length), last.description.prefix(length))
        self.init(shown: from == to ? String(from) : "\(from)/\(to)", first: first, last: last)
    }
}

/// The times of a story as somebody gets them.
public struct ShownTimes: Hashable, Sendable {
    /// When it happened, or `nil` when that is unknown.
    public let date: StoryDate?
    /// When it was created: lists are sorted by it.
    public let createdAt: Timestamp
    /// When it last changed.
    public let updatedAt: Timestamp
}

extension Story {
    /// How exactly the viewer gets the times of the story: as exactly as its place.
    ///
    /// An owner may have the exact times shown beside a coarser place; what an operator keeps back stays back.
    public func timePrecision(for viewer: Viewer) -> TimePrecision {
        guard viewer.user != owner else { return .exact }
        guard location != nil else { return publishedTimePrecision }
        // Beside a cell of one degree times are coarser than beside none: family gets no less than everybody.
        return min(timePrecision(beside: precision(for: viewer)), publishedTimePrecision)
    }

    /// How exactly those get the times who are neither owner nor trusted family.
    ///
    /// A story whose coarser place was removed keeps the times that went with it: exact ones would place it after all. A
    /// place that is only proposed changes nothing.
    public var publishedTimePrecision: TimePrecision {
        guard let location else {
            guard let gone = absentLocation, gone.isRemoved else { return .exact }
            return TimePrecision(beside: gone.precision)
        }
        return timePrecision(beside: location.published)
    }

    /// How exactly family gets the times that is trusted with the place, as far as an operator's areas allow; as everybody
    /// else where none is trusted.
    public var trustedTimePrecision: TimePrecision {
        guard let location, location.familySeesExact, effectivePrivacy != .private else {
            return publishedTimePrecision
        }
        return min(timePrecision(beside: location.floor), publishedTimePrecision)
    }

    private func timePrecision(beside shown: LocationPrecision) -> TimePrecision {
        guard let location else { return .exact }
        return TimePrecision(beside: location.showsExactTimes ? location.floor : shown)
    }

    /// The times of the story as the viewer gets them.
    public func times(for viewer: Viewer) -> ShownTimes {
        guard viewer.user != owner else { return ShownTimes(date: date, createdAt: createdAt, updatedAt: updatedAt) }
        return times(timePrecision(for: viewer))
    }

    /// The times of the story as others than its owner get them this exactly.
    public func times(_ precision: TimePrecision) -> ShownTimes {
        ShownTimes(
            date: date.map(precision.widened),
            createdAt: precision.start(of: createdAt),
            updatedAt: precision.start(of: shownUpdatedAt)
        )
    }

    /// The layer of the families that may be trusted with the exact place.
    public var trustedLayer: VisibilityLayer { family.map(VisibilityLayer.group) ?? .kin(owner) }
}
