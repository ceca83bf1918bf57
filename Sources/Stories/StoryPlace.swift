import Geometry

/// The part that a place plays in a story, as a short word such as `born`, `spoken_of` or `recorded`.
public struct PlaceRole: Hashable, Sendable, CustomStringConvertible {
    /// The characters: a small letter, then small letters, digits and underscores.
    public let rawValue: String

    /// Creates a role, or `nil` if the text has another form.
    public init?(_ text: some StringProtocol) {
        let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        guard (1...StoryLimits.roleLength).contains(text.utf8.count), let first = text.utf8.first,
            letters.contains(first),
            text.utf8.allSatisfy({ letters.contains($0) || digits.contains($0) || $0 == UInt8(ascii: "_") })
        else { return nil }
        rawValue = String(text)
    }

    private init(known: String) { rawValue = known }

    /// The characters.
    public var description: String { rawValue }

    /// A place that the story mentions.
    public static let spokenOf = PlaceRole(known: "spoken_of")
    /// The place where it was recorded or taken.
    public static let recorded = PlaceRole(known: "recorded")
    /// A place of birth.
    public static let born = PlaceRole(known: "born")
    /// A place of death.
    public static let died = PlaceRole(known: "died")
    /// A place of marriage.
    public static let married = PlaceRole(known: "married")
    /// The line or the area of the story's own location, which it follows; see ``Story/settleExtents(replacing:)``.
    public static let extent = PlaceRole(known: "extent")

    /// The roles that have words of their own on the pages; others are shown as written.
    public static let known: [PlaceRole] =
        [spokenOf, recorded, born, died, married]
        + ["happened", "lived", "worked", "studied", "buried", "departed", "arrived"].map { PlaceRole(known: $0) }
        + [extent]
}

/// A further place of a story besides its location, with a precision and a confirmation of its own (LOC-10).
public struct StoryPlace: Hashable, Sendable {
    /// The id: random, or for an extracted place derived from what was extracted.
    public let id: StoryID
    /// The part it plays.
    public var role: PlaceRole
    /// Where in the recording it comes up, in seconds from the start, or `nil`.
    public var seconds: Double?
    /// The true point with its source, names and precision; for a line or an area a point on it.
    public var location: StoryLocation
    /// The line or the area, or `nil` for a point.
    public var shape: PlaceShape?
    /// Whether it is published: a place that a program extracted waits for the owner of the story (LOC-11).
    public var isConfirmed: Bool

    /// Creates a place; the point of a shape follows from the shape.
    public init(
        id: StoryID,
        role: PlaceRole,
        seconds: Double? = nil,
        location: StoryLocation,
        shape: PlaceShape? = nil,
        isConfirmed: Bool = true
    ) {
        self.id = id
        self.role = role
        self.seconds = seconds
        self.location = location
        self.shape = shape
        self.isConfirmed = isConfirmed
    }

    /// Whether people are notified when they come near the place, or enter its area: only if it is confirmed and
    /// published exactly.
    ///
    /// Everybody who may see the story sees such a place, so a notification of it reveals nothing. A place that waits
    /// for its owner, is hidden, or is published as a cell makes no fence, not even for the owner or for trusted family:
    /// the middle of a cell is not where anything happened. Nor do lines and areas that are larger than a county or lie
    /// at a pole, and shapes of several parts; see ``PlaceShape/outline``.
    public var makesFence: Bool { isConfirmed && StoryPlace.makesFence(at: location, shape) }

    /// Returns whether a confirmed place makes a fence; see ``makesFence``.
    public static func makesFence(at location: StoryLocation, _ shape: PlaceShape?) -> Bool {
        location.published == .exact && shape.map { !$0.hasParts && Outline.fits($0.box) } ?? true
    }

    /// Returns the place as shown to a non-owner at a precision, or `nil` if hidden; unless exact, a line or an area is
    /// shown as the centre of the cell of its point.
    ///
    /// An extent is shown by ``Story/shownPlace(_:at:beside:)`` instead.
    func shown(_ precision: LocationPrecision) -> StoryPlace? {
        guard isConfirmed, let location = location.shown(precision) else { return nil }
        var shown = self
        shown.location = location
        if precision != .exact { shown.shape = nil }
        return shown
    }

    /// Returns whether the left place comes first: by the position in the recording, those without one last, then by id.
    public static func isBefore(_ a: StoryPlace, _ b: StoryPlace) -> Bool {
        let (first, second) = (a.seconds ?? .infinity, b.seconds ?? .infinity)
        return first == second ? a.id < b.id : first < second
    }
}

// Who sees which further place, and how exactly.
extension Story {
    /// Returns the precision of a further place for the viewer, by the same rule as ``precision(for:)``.
    ///
    /// It does not check whether the story itself is visible, nor whether the place is confirmed.
    public func precision(of place: StoryPlace, for viewer: Viewer) -> LocationPrecision {
        if viewer.user == owner { return .exact }
        let location = place.location
        return location.familySeesExact && isFamily(viewer) ? location.floor : location.published
    }

    /// Returns the further places as visible to the viewer, in order.
    ///
    /// The owner gets all, also those that wait for confirmation. Of a place that is hidden from a viewer or not
    /// confirmed, nothing is left.
    public func places(for viewer: Viewer) -> [StoryPlace] {
        guard !places.isEmpty else { return [] }
        if viewer.user == owner { return places.sorted(by: StoryPlace.isBefore) }
        let isFamily = isFamily(viewer)
        return
            places.compactMap { place in
                let own = precision(beside: place, forFamily: isFamily)
                var shown = shownPlace(place, at: precision(of: place, for: viewer), beside: own)
                // Only the family and the owner may learn whether family members see more.
                if !isFamily { shown?.location.familySeesExact = false }
                return shown
            }
            .sorted(by: StoryPlace.isBefore)
    }

    /// The further places as seen by those who are neither owner nor trusted family.
    var publishedPlaces: [StoryPlace] { places(for: .anonymous) }

    /// The further places as seen by family, of whom some may be trusted with exact points.
    var familyPlaces: [StoryPlace] {
        places.compactMap { place in
            shownPlace(place, at: place.location.shownToFamily, beside: precision(beside: place, forFamily: true))
        }
        .sorted(by: StoryPlace.isBefore)
    }

    /// The precision of times beside the further places as everybody sees them: a coarse place could be located by exact
    /// times (PRV-09).
    ///
    /// A place that is hidden takes no part: coarse times would tell everybody that there is one. The same holds for
    /// family, so that lists are in one order. An extent is covered by the rules for its location.
    var furtherTimePrecision: TimePrecision {
        var precision = TimePrecision.exact
        for place in places where place.isConfirmed && place.location.published != .hidden && !isCovered(place) {
            precision = max(precision, TimePrecision(beside: place.location.published))
        }
        return precision
    }
}
