/// What is kept of the location of a story that has none: how the next one is shown, and whether its owner took one away.
public struct AbsentLocation: Hashable, Sendable {
    /// How exactly others see the next location unless its giver says otherwise.
    public var precision: LocationPrecision
    /// Whether family members see the exact point of an approximate or hidden one.
    public var familySeesExact: Bool
    /// Whether a location was removed: none that a program extracts is proposed any more (LOC-11).
    public var isRemoved: Bool

    /// Creates what is kept.
    public init(precision: LocationPrecision, familySeesExact: Bool = false, isRemoved: Bool = false) {
        self.precision = precision
        self.familySeesExact = familySeesExact
        self.isRemoved = isRemoved
    }
}

/// Why a location that a program extracted is not even proposed.
public enum ExtractionRefusal: Error, Hashable, Sendable {
    /// A receiver or a person gave the story one, which stays (LOC-01).
    case given(LocationSource)
    /// The story's location was removed; another comes from a receiver or a person alone (LOC-11).
    case removed
    /// The owner rejected a location at this place for this story (LOC-11).
    case rejected
}

extension Story {
    /// Settles the location that a change gave a story, so that what a program extracted becomes a proposal (LOC-11).
    ///
    /// A location that a program extracted is taken out again and returned: its owner confirms or rejects it. The one of
    /// `old` that was confirmed already can still be described otherwise. How a removed location was shown is kept, so
    /// that the next one is shown no more exactly.
    ///
    /// - Parameter old: The story before the change; `nil` for a new one.
    /// - Returns: The proposal, if there is one.
    /// - Throws: ``ExtractionRefusal``; the story is then to be discarded.
    public mutating func settleLocation(replacing old: Story?) throws(ExtractionRefusal) -> StoryLocation? {
        guard let given = location else {
            if let gone = old?.location {
                absentLocation = AbsentLocation(
                    precision: gone.precision,
                    familySeesExact: gone.familySeesExact,
                    isRemoved: true
                )
            }
            return nil
        }
        let isConfirmed = old?.location?.source == .aiExtracted && old?.location?.coordinate == given.coordinate
        guard given.source == .aiExtracted, !isConfirmed else {
            absentLocation = nil
            return nil
        }
        if let kept = old?.location, kept.source != .aiExtracted { throw .given(kept.source) }
        if old?.absentLocation?.isRemoved == true { throw .removed }
        location = old?.location
        if location == nil { remember(given, over: old?.absentLocation) }
        return given
    }

    /// Keeps how a proposal wants to be shown: one that comes later does not show the story more exactly.
    private mutating func remember(_ proposal: StoryLocation, over known: AbsentLocation?) {
        let precision = proposal.precision.stricter(known?.precision ?? .exact)
        let family = known?.familySeesExact ?? proposal.familySeesExact
        // What any location is like unless something is said needs no remembering.
        guard precision != .exact || family else { return }
        absentLocation = AbsentLocation(precision: precision, familySeesExact: family)
    }

    /// Gives the story a location that its owner confirmed, shown as exactly as the story's own was or is to be.
    public mutating func confirmLocation(_ proposal: StoryLocation) {
        var confirmed = proposal
        if let shown = location {
            (confirmed.precision, confirmed.familySeesExact) = (shown.precision, shown.familySeesExact)
            (confirmed.floor, confirmed.createdAt) = (shown.floor, shown.createdAt)
        } else if let absent = absentLocation {
            (confirmed.precision, confirmed.familySeesExact) = (absent.precision, absent.familySeesExact)
        }
        location = confirmed
        absentLocation = nil
    }
}

extension StoryLocation {
    /// Moves within so many metres put a pin right: what it was called by hand stays.
    public static let correction = 50.0

    /// Stamps a change: given at `now` unless `old` was there, changed at `now` if anything else of it than its times is.
    public mutating func stamp(at now: Timestamp, replacing old: StoryLocation?) {
        (createdAt, updatedAt) = (old?.createdAt, old?.updatedAt)
        guard let old else {
            (createdAt, updatedAt) = (now, now)
            return
        }
        var same = self
        same.floor = old.floor
        if same != old { updatedAt = now }
    }

    /// Takes over what the store keeps of `other` beside what people say of it: the floor and the times.
    public mutating func adoptUpkeep(of other: StoryLocation?) {
        floor = other?.floor ?? .exact
        (createdAt, updatedAt) = (other?.createdAt, other?.updatedAt)
    }
}
