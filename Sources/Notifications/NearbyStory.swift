public import Geometry
public import Stories

/// A story as it may be shown to one user in a notification.
///
/// Every field holds only data that this user may see; the caller decides whether the story is announced.
public struct NearbyStory: Hashable, Sendable {
    /// The story.
    public let id: StoryID
    /// The number of moves that were far enough to announce the story again; see ``LocationEpoch``.
    public let locationEpoch: Int
    /// The kind of content.
    public let kind: StoryKind
    /// Its title.
    public let title: String
    /// The point shown to this user.
    public let point: Coordinate
    /// The place at that point.
    public let placeID: PlaceID
    /// Whether the story happened at that point, as far as this user may know.
    ///
    /// If not, the point represents the cell around it, and the story is not assigned to a named place that contains
    /// the point.
    public let isExact: Bool
    /// Its id in the source it was imported from.
    public let sourceID: String?
    /// The name of the place, if the user may know it.
    public let placeName: String?
    /// The city, if the user may know it.
    public let city: String?
    /// The street and any house number, if the user may know them.
    public let street: String?
    /// The storyteller's name as shown to this user; `nil` if there is none.
    public let teller: String?
    /// The further place of the story that the point is; `nil` if it is the story's own location.
    public let further: Further?

    /// A place of a story besides its location.
    public struct Further: Hashable, Sendable {
        /// The id of the place.
        public let place: StoryID
        /// The part it plays in the story.
        public let role: PlaceRole
        /// Where in the recording it comes up, in seconds from the start, or `nil`.
        public let seconds: Double?

        /// Describes a place.
        public init(_ place: StoryPlace) {
            self.place = place.id
            role = place.role
            seconds = place.seconds
        }
    }

    /// Creates a story at the point shown to a user.
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
        teller: String? = nil,
        further: Further? = nil
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
        self.further = further
    }

    /// The story without the names of its place, for a notification about a place that the story has left.
    public var withoutNames: NearbyStory {
        NearbyStory(
            id: id,
            locationEpoch: locationEpoch,
            kind: kind,
            title: title,
            point: point,
            isExact: isExact,
            sourceID: sourceID,
            teller: teller,
            further: further
        )
    }
}

/// A place that the user entered or passed.
public struct PlaceVisit: Hashable, Sendable {
    /// The place.
    public let placeID: PlaceID
    /// Its point.
    public let coordinate: Coordinate
    /// How the place was reached.
    public let kind: FeedItem.Kind
    /// The time of the deciding fix.
    public let at: Timestamp
    /// When the decision was made, by the evaluator's clock.
    public let decidedAt: Timestamp
    /// The evaluator's confidence, 0...1.
    public let confidence: Double
    /// The user's distance from the place in metres; 0 if the device itself detected the arrival.
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

    /// Returns whether `a` is announced before `b`: visits are ordered by the time of the decision, then by the time of
    /// the fix, then by distance, then by place id.
    static func precedes(_ a: PlaceVisit, _ b: PlaceVisit) -> Bool {
        (a.decidedAt, a.at, a.distance, a.placeID) < (b.decidedAt, b.at, b.distance, b.placeID)
    }
}
