public import Geometry
public import Stories

/// A marker on the map: a single story or a cluster of several.
public struct Marker: Hashable, Sendable {
    /// The id, also for a single story's marker.
    public let clusterID: ClusterID
    /// The number of visible, wanted stories it represents, at least one; each counts once, however many of its places
    /// the marker represents.
    public let count: Int
    /// The position: the mean of its places on the Mercator map, or a single place's own point.
    public let position: Coordinate
    /// The smallest box around its places; it may cross the antimeridian.
    public let bounds: BoundingBox
    /// The first deeper zoom at which its places are no longer all in one marker, 21 if there is none.
    public let expansionZoom: Int
    /// Whether it represents several stories at one place.
    public let isStacked: Bool
    /// By how much its places outnumber its stories.
    let repeats: UInt32
    /// The story, if it represents only one, all of whose places here are at one place on the map.
    ///
    /// A marker of one story with places further apart has ``count`` 1 and no `single`; it splits at its
    /// ``expansionZoom``.
    public let single: SingleStory?

    /// The number of visible places of its stories: as many as stories, and more if some have several.
    public var places: Int { count + Int(repeats) }
}

/// The story of a marker that represents a single story.
public struct SingleStory: Hashable, Sendable {
    /// The story.
    public let id: StoryID
    /// The id of the place, ``StoryID/ownLocation`` for the story's own.
    let placeID: StoryID
    /// The place at the story's point.
    public let place: PlaceID
    /// The number of visible, wanted stories at that place, including this one.
    public let storiesHere: Int
    /// The kind of story.
    public let kind: StoryKind
    /// Its title.
    public let title: String
    /// The date as entered.
    public let date: String?
    /// The version of its picture; see ``StoryPicture/version``.
    public let picture: UInt64?
    /// The audience of the story.
    public let privacy: Privacy
    /// Whether the viewer sees a more precise point than the public.
    public let isMoreExact: Bool
    /// The owner of the story.
    public let owner: UserID

    /// The id of the further place that the marker represents; `nil` for the story's own location, which comes first if there are
    /// several places here.
    public var further: StoryID? { placeID.furtherPlace }
}

/// A place with the stories visible to a viewer there.
public struct MapPlace: Hashable, Sendable {
    /// The place.
    public let id: PlaceID
    /// The stories, sorted by id, at least one, each once.
    public let stories: [StoryID]
    /// Those of the stories that are there only by a further place, not by their own location; sorted by id.
    public let further: [StoryID]
    /// The line or the area that people enter there, if all the stories are there by one, be it beside their location; of
    /// several, what they have in common.
    ///
    /// `nil` for a point, and unless the places of fences were asked for.
    public let outline: Outline?

    /// The centre of the place's cell.
    public var coordinate: Coordinate { id.coordinate }
}

/// The position in a list after which the next page begins.
public struct ListCursor: Hashable, Sendable {
    /// The time the last listed story was created; in another order than newest first, see ``ListOrder``, the number
    /// by which stories are sorted.
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
    /// The ids of the stories, in the order of the list.
    public let ids: [StoryID]
    /// The cursor of the next page, or `nil` at the end.
    public let next: ListCursor?

    /// Creates a page.
    public init(ids: [StoryID], next: ListCursor?) {
        self.ids = ids
        self.next = next
    }
}

/// A story with its distance.
public struct NearbyStory: Hashable, Sendable {
    /// The story.
    public let id: StoryID
    /// The nearest point of the story shown to the viewer.
    public let point: Coordinate
    /// The distance in metres.
    public let distance: Double
    /// The id of the further place at this point; `nil` for the story's own location.
    public let place: StoryID?
}
