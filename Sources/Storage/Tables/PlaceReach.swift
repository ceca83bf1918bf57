public import Stories

/// Who may see a further place of a story and how exactly, as far as a change can make it narrower or wider.
public struct PlaceReach: Hashable, Sendable {
    /// Whether nobody but the owner of the story sees anything of it: it was removed, or is not confirmed.
    var isRemoved: Bool
    /// The precision at which those see it who are not trusted with more.
    var precision: LocationPrecision
    /// Whether the family sees the exact point.
    var familySeesExact: Bool

    /// A place that is gone.
    static let removed = PlaceReach(isRemoved: true, precision: .hidden, familySeesExact: false)

    private init(isRemoved: Bool, precision: LocationPrecision, familySeesExact: Bool) {
        (self.isRemoved, self.precision, self.familySeesExact) = (isRemoved, precision, familySeesExact)
    }

    /// Describes a place.
    init(_ place: StoryPlace) {
        guard place.isConfirmed else {
            self = .removed
            return
        }
        let location = place.location
        isRemoved = false
        precision = location.published
        familySeesExact = precision == .exact || (location.floor == .exact && location.familySeesExact)
    }

    /// Returns the narrower of two reaches in every respect.
    func narrowed(to other: PlaceReach) -> PlaceReach {
        PlaceReach(
            isRemoved: isRemoved || other.isRemoved,
            precision: precision.stricter(other.precision),
            familySeesExact: familySeesExact && other.familySeesExact
        )
    }

    /// Returns whether this is narrower than an earlier reach in any respect.
    func isNarrower(than old: PlaceReach) -> Bool { old.narrowed(to: self) != old }

    /// The form on the list: three words with commas between them; ``ErasureList/unlimited`` if it limits nothing.
    var text: String {
        guard isRemoved || precision != .exact else { return ErasureList.unlimited }
        let size = precision.cell.map { "\($0.degrees)" } ?? ""
        return [isRemoved ? "removed" : "", precision.name + size, familySeesExact ? "family" : ""]
            .joined(separator: ",")
    }

    /// Reads the form on the list; unknown words count as the narrowest.
    init(text: String) {
        guard text != ErasureList.unlimited else {
            self.init(isRemoved: false, precision: .exact, familySeesExact: true)
            return
        }
        let words = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        guard words.count == 3, words[0].isEmpty else {
            self = .removed
            return
        }
        let cell = words[1].hasPrefix("approximate") ? Double(words[1].dropFirst("approximate".count)) : nil
        self.init(
            isRemoved: false,
            precision: StoryRow.precision(cell == nil ? words[1] : "approximate", cell: cell),
            familySeesExact: words[2] == "family"
        )
    }

    /// Returns an older copy's place no wider than this; `nil` if it is gone.
    public func narrow(_ place: StoryPlace) -> StoryPlace? {
        let own = PlaceReach(place)
        let reach = own.narrowed(to: self)
        guard !reach.isRemoved || !place.isConfirmed else { return nil }
        var narrowed = place
        if reach.precision != own.precision {
            narrowed.location.precision = place.location.precision.stricter(reach.precision)
        }
        if !reach.familySeesExact { narrowed.location.familySeesExact = false }
        return narrowed
    }
}
