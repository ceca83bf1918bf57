public import Geometry
public import Stories

/// A story that may be announced: visible to the user, wanted, not their own, not yet viewed, not yet told.
///
/// Whoever makes one has asked all of that; every field holds what this user may see and nothing else.
public struct NearbyStory: Hashable, Sendable {
    /// The story.
    public let id: StoryID
    /// How often it moved so far that it may be told again; see ``LocationEpoch``.
    public let locationEpoch: Int
    /// What sort of content it is.
    public let kind: StoryKind
    /// Its title.
    public let title: String
    /// The point this user gets.
    public let point: Coordinate
    /// The place of that point.
    public let placeID: PlaceID
    /// Whether the story happened at that point, as far as this user may know; if not, it stands for a cell around it, and
    /// no named place that the point lies in can claim it.
    public let isExact: Bool
    /// Its id in the source it was imported from.
    public let sourceID: String?
    /// What the place is called, if the user may know.
    public let placeName: String?
    /// The city, if the user may know.
    public let city: String?
    /// The street, with a number where there is one, if the user may know.
    public let street: String?
    /// Who tells it, as this user calls them; `nil` for nobody in particular.
    public let teller: String?

    /// Creates a story at the point a user gets.
    public init(
        id: StoryID,
        locationEpoch: Int,
        kind: StoryKind,
        title: String,
        point: Coordinate,
        isExact: Bool = true,
        sourceID: String? = nil,
        placeName: String? = nil,
        city: String? = nil,
        street: String? = nil,
        teller: String? = nil
    ) {
        self.id = id
        self.locationEpoch = locationEpoch
        self.kind = kind
        self.title = title
        self.point = point
        self.placeID = PlaceID(point)
        self.isExact = isExact
        self.sourceID = sourceID
        self.placeName = placeName
        self.city = city
        self.street = street
        self.teller = teller
    }

    /// The story without its names: what is known of where it is stays with the place it left.
    public var withoutNames: NearbyStory {
        NearbyStory(
            id: id,
            locationEpoch: locationEpoch,
            kind: kind,
            title: title,
            point: point,
            isExact: isExact,
            sourceID: sourceID,
            teller: teller
        )
    }
}

/// A place that the user entered or passed.
public struct PlaceVisit: Hashable, Sendable {
    /// The place.
    public let placeID: PlaceID
    /// Its point.
    public let coordinate: Coordinate
    /// How it was reached.
    public let kind: FeedItem.Kind
    /// The time of the deciding fix.
    public let at: Timestamp
    /// When the decision fell, by the evaluator's clock.
    public let decidedAt: Timestamp
    /// How sure the evaluator is, 0...1.
    public let confidence: Double
    /// How far away in metres the user was; 0 where the device saw by itself that they were there.
    public let distance: Double
    /// Whether the deciding fix was simulated.
    public let isSimulated: Bool

    /// Creates a visit; `decidedAt` defaults to `at`.
    public init(
        placeID: PlaceID,
        coordinate: Coordinate,
        kind: FeedItem.Kind,
        at: Timestamp,
        decidedAt: Timestamp? = nil,
        confidence: Double,
        distance: Double = 0,
        isSimulated: Bool = false
    ) {
        self.placeID = placeID
        self.coordinate = coordinate
        self.kind = kind
        self.at = at
        self.decidedAt = decidedAt ?? at
        self.confidence = confidence
        self.distance = distance
        self.isSimulated = isSimulated
    }

    /// The order in which visits are announced: as they were decided, the nearest first, then by place.
    static func precedes(_ a: PlaceVisit, _ b: PlaceVisit) -> Bool {
        (a.decidedAt, a.at, a.distance, a.placeID) < (b.decidedAt, b.at, b.distance, b.placeID)
    }
}
