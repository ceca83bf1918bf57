public import Geometry
public import Stories

/// One mark on the map: a single story or a cluster of several.
public struct Marker: Hashable, Sendable {
    /// The identity, also of a single story's marker.
    public let clusterID: ClusterID
    /// How many visible, wanted stories it stands for, at least one.
    public let count: Int
    /// Where it stands: the mean of its stories on the Mercator map, or a single story's own point.
    public let position: Coordinate
    /// The smallest box around the points of its stories; it may cross the antimeridian.
    public let bounds: BoundingBox
    /// The first deeper zoom at which its stories are no longer all in one marker, 21 when that never happens.
    public let expansionZoom: Int
    /// Whether it stands for several stories of one place.
    public let isStacked: Bool
    /// The story when it stands for one only.
    public let single: SingleStory?
}

/// The story of a marker that stands for one story only.
public struct SingleStory: Hashable, Sendable {
    /// The story.
    public let id: StoryID
    /// The place at the story's point.
    public let place: PlaceID
    /// How many visible, wanted stories are at that place, this one included.
    public let storiesHere: Int
    /// What it is.
    public let kind: StoryKind
    /// Its title.
    public let title: String
    /// Its date as it was written.
    public let date: String?
    /// Who may see it.
    public let privacy: Privacy
    /// Whose it is.
    public let owner: UserID
    /// Whether the viewer gets a more exact point of it than everybody does.
    public let isMoreExact: Bool
}

/// A place with the stories that a viewer finds there.
public struct MapPlace: Hashable, Sendable {
    /// The place.
    public let id: PlaceID
    /// The stories, sorted by id, at least one.
    public let stories: [StoryID]

    /// The middle of the place's cell.
    public var coordinate: Coordinate { id.coordinate }
}

/// Where a list continues: after this story, newest first.
public struct ListCursor: Hashable, Sendable {
    /// When the last listed story was created.
    public let createdAt: Timestamp
    /// The last listed story.
    public let id: StoryID

    /// Creates a cursor.
    public init(createdAt: Timestamp, id: StoryID) {
        self.createdAt = createdAt
        self.id = id
    }
}

/// A page of a list.
public struct StoryPage: Hashable, Sendable {
    /// The stories, newest first.
    public let ids: [StoryID]
    /// Where the list continues, or `nil` at its end.
    public let next: ListCursor?

    /// Creates a page.
    public init(ids: [StoryID], next: ListCursor?) {
        self.ids = ids
        self.next = next
    }
}

/// A story and how far away it is.
public struct NearbyStory: Hashable, Sendable {
    /// The story.
    public let id: StoryID
    /// The viewer's point of the story.
    public let point: Coordinate
    /// The distance in metres.
    public let distance: Double
}
