public import Geometry

/// The parts of a story in which words are searched for, in the order in which they count.
public enum TextField: UInt8, CaseIterable, Sendable {
    /// The title.
    case title
    /// The tags and the persons.
    case terms
    /// The names of places: of the story's own, and of those that it mentions.
    case places
    /// The text itself.
    case body
}

/// The searchable text of one story, with the viewers who may search each part.
public struct SearchableText: Sendable {
    /// What the names around a story's point say about it.
    public enum Extent: Hashable, Sendable {
        /// Everything: the point is where the story belongs.
        case point
        /// The point is the middle of a region or of something smaller, so that only region and country apply.
        case region
        /// The point is the middle of a country.
        case country
    }

    /// The story's id.
    public let id: StoryID
    /// The owner, who may search everything.
    public let owner: UserID
    /// The layer of the story: its viewers may search everything but the names of its own place.
    public let layer: VisibilityLayer
    /// The layers whose viewers see the exact point, and may search the names of the place.
    public let exactLayers: [VisibilityLayer]
    /// The title.
    public var title = ""
    /// The tags and persons.
    public var terms = ""
    /// The names of places that the story mentions.
    public var mentions = ""
    /// The text.
    public var body = ""
    /// The names of the story's place, as they are stored.
    public var places = ""
    /// The point of the story, by which it has further names; `nil` without a location.
    public var point: Coordinate?
    /// What the names around the point say.
    public var extent = Extent.point
    /// The names of further places, each with the layers whose viewers see that place exactly (GEO-04).
    public var further: [(text: String, layers: [VisibilityLayer])] = []

    /// Creates a searchable text without words; only visibility is read from the story.
    public init(visibilityOf story: Story) {
        id = story.id
        owner = story.owner
        layer = story.layer
        exactLayers = story.exactLayers
    }

    /// Creates the searchable text of a story.
    public init(_ story: Story) {
        self.init(visibilityOf: story)
        title = story.title
        terms = (story.tags + story.people).joined(separator: "\n")
        mentions = story.mentions.joined(separator: "\n")
        body = story.text ?? ""
        let names = story.places.map { SearchableText.names(of: $0.location) }
        further = SearchableText.further(of: story, names: names)
        guard let location = story.location else { return }
        places = SearchableText.names(of: location)
        point = location.coordinate
        extent = Extent(location.source, hasState: location.names[.state] != nil)
    }

    /// Returns the searchable names of a story's further places; of those that are not confirmed, none is searchable.
    ///
    /// `names` are those of the places, in their order.
    public static func further(of story: Story, names: [String]) -> [(text: String, layers: [VisibilityLayer])] {
        zip(story.places, names)
            .filter { $0.0.isConfirmed && !$0.1.isEmpty }
            .map { ($0.1, story.exactLayers(of: $0.0.location)) }
    }

    private static func names(of location: StoryLocation) -> String {
        LocationName.allCases.compactMap { location.names[$0] }.joined(separator: "\n")
    }
}

extension SearchableText.Extent {
    /// Returns what a location of this source says: one that was looked up lies in the middle of what was found.
    public init(_ source: LocationSource, hasState: Bool) {
        self = source != .geocoded ? .point : hasState ? .region : .country
    }
}
