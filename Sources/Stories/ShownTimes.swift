/// The precision at which a story's times are shown, depending on the precision of its place (PRV-09).
///
/// From a story's owner, exact date and order of creation, anyone could locate it between its neighbours on the same
/// walk, far more precisely than by its cell. Therefore, the larger the cell, the longer the period shown instead of a
/// time.
public enum TimePrecision: Int, Comparable, Hashable, Sendable {
    /// The exact times.
    case exact
    /// The month, for a place shown with a cell of 0.01 degrees.
    case month
    /// The year, for a place shown with a cell of 0.1 degrees, or a hidden place.
    case year
    /// The decade, for a place shown with a cell of one degree; it starts with a year that ends in 0.
    case decade

    /// Creates the precision of times shown with a place of the given precision.
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

    /// Returns the days of the period that contains a day.
    public func period(of day: CalendarDay) -> ClosedRange<CalendarDay> {
        let (year, month, _) = day.components
        switch self {
        case .exact: return day...day
        case .month: return StoryDate.days(year: year, month: month, day: nil) ?? day...day
        case .year: return StoryDate.days(year: year, month: nil, day: nil) ?? day...day
        case .decade:
            // Before our era, decades are counted backwards from the year 0, so that none lies in both.
            let (near, far) = (year / 10 * 10, year / 10 * 10 + (year > 0 ? 9 : -9))
            guard let start = CalendarDay(year: year > 0 ? max(1, near) : far, month: 1, day: 1),
                let end = CalendarDay(year: year > 0 ? far : near, month: 12, day: 31)
            else { return day...day }
            return start...end
        }
    }

    /// Returns the date widened to whole periods; `nil` if it has no days.
    ///
    /// Its text is derived only from the widened days, because the original text, understood or not, may give the exact
    /// day.
    public func widened(_ date: StoryDate) -> StoryDate? {
        guard self != .exact else { return date }
        guard let days = date.days else { return nil }
        return StoryDate(
            wholeMonthsFrom: period(of: days.lowerBound).lowerBound,
            to: period(of: days.upperBound).upperBound
        )
    }

    /// Returns the first instant, in UTC, of the period that contains an instant.
    public func start(of time: Timestamp) -> Timestamp {
        guard self != .exact else { return time }
        // A time outside the years 1 to 9999 has no calendar day; a constant reveals nothing about it.
        guard let day = time.day else { return Timestamp(milliseconds: 0) }
        return Timestamp(milliseconds: Int64(period(of: day).lowerBound.daysSince1970) * 86_400_000)
    }
}

extension StoryDate {
    /// Creates a date from the first day of a month to the last day of a month, with the shortest text in EDTF: `..` for
    /// an open side.
    fileprivate init(wholeMonthsFrom first: CalendarDay, to last: CalendarDay) {
        let (start, end) = (first.components, last.components)
        // `YYYY` for whole years, else `YYYY-MM`.
        let dropped = start.month == 1 && end.month == 12 ? 6 : 3
        let from = first == .earliest ? ".." : first.description.dropLast(dropped)
        let to = last == .latest ? ".." : last.description.dropLast(dropped)
        self.init(shown: from == to ? String(from) : "\(from)/\(to)", first: first, last: last)
    }
}

/// The times of a story as shown to a viewer.
public struct ShownTimes: Hashable, Sendable {
    /// The date of the story, or `nil` if unknown.
    public let date: StoryDate?
    /// The time of creation, by which lists are sorted.
    public let createdAt: Timestamp
    /// The time of the last change.
    public let updatedAt: Timestamp
}

extension Story {
    /// Returns the precision of the story's times for the viewer, which depends on the precision of its place for them.
    ///
    /// An owner may show the exact times with a coarser place; restrictions by an operator still apply.
    public func timePrecision(for viewer: Viewer) -> TimePrecision {
        guard viewer.user != owner else { return .exact }
        guard location != nil else { return publishedTimePrecision }
        // A cell of one degree has coarser times than a hidden place. If family sees such a cell where the public sees
        // no place, family must not get coarser times than the public.
        return min(max(timePrecision(beside: precision(for: viewer)), furtherTimePrecision), publishedTimePrecision)
    }

    /// The precision of times for viewers who are neither owner nor trusted family.
    ///
    /// If a coarser place was removed, the story keeps the corresponding precision of times, because exact times would
    /// still reveal its position. A proposed place changes nothing. A further place counts as far as it is shown.
    public var publishedTimePrecision: TimePrecision {
        let further = furtherTimePrecision
        guard let location else {
            guard let gone = absentLocation, gone.isRemoved else { return further }
            return max(TimePrecision(beside: gone.precision), further)
        }
        return max(timePrecision(beside: location.published), further)
    }

    /// The precision of times for family trusted with the exact place, as far as an operator's areas allow; the same as
    /// for other viewers if no family is trusted.
    public var trustedTimePrecision: TimePrecision {
        guard let location, location.familySeesExact, effectivePrivacy != .private else {
            return publishedTimePrecision
        }
        return min(max(timePrecision(beside: location.floor), furtherTimePrecision), publishedTimePrecision)
    }

    private func timePrecision(beside shown: LocationPrecision) -> TimePrecision {
        guard let location else { return .exact }
        return TimePrecision(beside: location.showsExactTimes ? location.floor : shown)
    }

    /// Returns the times of the story as shown to the viewer.
    public func times(for viewer: Viewer) -> ShownTimes {
        guard viewer.user != owner else { return ShownTimes(date: date, createdAt: createdAt, updatedAt: updatedAt) }
        return times(timePrecision(for: viewer))
    }

    /// Returns the times of the story as shown to non-owners at a precision.
    public func times(_ precision: TimePrecision) -> ShownTimes {
        ShownTimes(
            date: date.flatMap(precision.widened),
            createdAt: precision.start(of: createdAt),
            updatedAt: precision.start(of: shownUpdatedAt)
        )
    }

    /// The layer of the families that may be trusted with the exact place.
    public var trustedLayer: VisibilityLayer { family.map(VisibilityLayer.group) ?? .kin(owner) }
}
