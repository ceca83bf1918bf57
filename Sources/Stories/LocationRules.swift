/// The settings kept for a story without a location: the precision of its next location, and whether its owner removed
/// one.
public struct AbsentLocation: Hashable, Sendable {
    /// The precision at which others see the next location, unless specified otherwise.
    public var precision: LocationPrecision
    /// Whether family members see the exact point of an approximate or hidden location.
    public var familySeesExact: Bool
    /// Whether a location was removed: extracted locations are then no longer proposed (LOC-11).
    public var isRemoved: Bool

    /// Creates the settings.
    public init(precision: LocationPrecision, familySeesExact: Bool = false, isRemoved: Bool = false) {
        self.precision = precision
        self.familySeesExact = familySeesExact
        self.isRemoved = isRemoved
    }
}

/// The reason a location extracted by a program is not even proposed.
public enum ExtractionRefusal: Error, Hashable, Sendable {
    /// The story already has a location from a GPS receiver or a person, which is kept (LOC-01).
    case given(LocationSource)
    /// The story's location was removed; only a GPS receiver or a person can provide another (LOC-11).
    case removed
    /// The owner rejected a location at this place for this story (LOC-11).
    case rejected
}

extension Story {
    /// Checks the location after a change, turning one extracted by a program into a proposal (LOC-11).
    ///
    /// An extracted location is removed from the story and returned, for its owner to confirm or reject. If the owner
    /// has already confirmed it, that is, if `old` has it at the same point, it stays in the story and its other fields
    /// may change. The precision of a removed location is kept, so that the next one is not shown more precisely.
    ///
    /// - Parameter old: The story before the change; `nil` for a new one.
    /// - Returns: The proposal, if there is one.
    /// - Throws: ``ExtractionRefusal``; the story must then be discarded.
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

    /// Keeps the precision of a proposal, so that a later one does not show the story more precisely.
    private mutating func remember(_ proposal: StoryLocation, over known: AbsentLocation?) {
        let precision = proposal.precision.stricter(known?.precision ?? .exact)
        let family = known?.familySeesExact ?? proposal.familySeesExact
        // The default settings need not be kept.
        guard precision != .exact || family else { return }
        absentLocation = AbsentLocation(precision: precision, familySeesExact: family)
    }

    /// Gives the story a location confirmed by its owner, keeping the precision of its current or last one.
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
    /// The maximum distance in metres by which a location can be moved as a correction, which keeps names entered by
    /// hand.
    public static let correction = 50.0

    /// Updates the timestamps: ``createdAt`` becomes `now` unless `old` exists, and ``updatedAt`` becomes `now` if
    /// anything except the timestamps and ``floor`` has changed.
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

    /// Copies the fields of `other` that the store maintains: the floor and the timestamps.
    public mutating func adoptUpkeep(of other: StoryLocation?) {
        floor = other?.floor ?? .exact
        (createdAt, updatedAt) = (other?.createdAt, other?.updatedAt)
    }
}
