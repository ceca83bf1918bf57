public import Foundation

/// Whose token it is.
public struct Account: Hashable, Sendable, Decodable {
    /// The id of the user.
    public let id: String
    /// The name of the user.
    public let name: String
    /// What the token may be used for.
    public let scopes: [String]
}

/// A point in degrees (WGS 84).
public struct GeoPoint: Hashable, Sendable {
    /// From -90 in the south to 90 in the north.
    public let latitude: Double
    /// From -180 in the west to 180 in the east.
    public let longitude: Double

    /// Creates a point.
    public init(latitude: Double, longitude: Double) { (self.latitude, self.longitude) = (latitude, longitude) }
}

/// A box on the map; its west can be greater than its east, across the antimeridian.
public struct GeoBox: Hashable, Sendable {
    /// The western edge.
    public let west: Double
    /// The southern edge.
    public let south: Double
    /// The eastern edge.
    public let east: Double
    /// The northern edge.
    public let north: Double

    /// Creates a box.
    public init(west: Double, south: Double, east: Double, north: Double) {
        (self.west, self.south, self.east, self.north) = (west, south, east, north)
    }

    var text: String { [west, south, east, north].map { String($0) }.joined(separator: ",") }
}

/// A story as the caller may see it.
public struct StoryRecord: Hashable, Sendable {
    /// The place of a story as the caller may see it.
    public struct Location: Hashable, Sendable, Decodable {
        /// The latitude, of the cell if the place is approximate.
        public let lat: Double
        /// The longitude, of the cell if the place is approximate.
        public let lon: Double
        /// `exact`, `approximate` or `hidden`.
        public let precision: String
        /// The name of the settlement.
        public let city: String?
        /// The name of the country.
        public let country: String?

        /// The point.
        public var point: GeoPoint { GeoPoint(latitude: lat, longitude: lon) }
    }

    struct Fields: Hashable, Sendable, Decodable {
        let kind: String
        let title: String
        let text: String?
        let date: String?
        let tags: [String]
        let people: [String]
        let owner: String
        let ownerName: String?
        let privacy: String
        let location: Location?
        let createdAt: Date
        let updatedAt: Date
    }

    /// The id.
    public let id: String
    private let fields: Fields

    init(id: String, _ fields: Fields) { (self.id, self.fields) = (id, fields) }

    /// The kind: `interview`, `photo`, `video` or `document`.
    public var kind: String { fields.kind }
    /// The headline.
    public var title: String { fields.title }
    /// The text, if there is one.
    public var text: String? { fields.text }
    /// The date of what it tells, as precise as the caller may know it: `1936`, `1936-07` or `1936-07-04`.
    public var date: String? { fields.date }
    /// The tags.
    public var tags: [String] { fields.tags }
    /// Whom it is about.
    public var people: [String] { fields.people }
    /// The id of the user whose story it is.
    public var owner: String { fields.owner }
    /// The name of that user.
    public var ownerName: String? { fields.ownerName }
    /// `public`, `family_only` or `private`.
    public var privacy: String { fields.privacy }
    /// Where it is, if the caller may know.
    public var location: Location? { fields.location }
    /// When it was made.
    public var createdAt: Date { fields.createdAt }
    /// When it was last changed.
    public var updatedAt: Date { fields.updatedAt }
}

extension StoryRecord: Decodable {
    private enum Keys: CodingKey { case id }

    /// Reads the object of a single story.
    public init(from decoder: any Decoder) throws {
        id = try decoder.container(keyedBy: Keys.self).decode(String.self, forKey: .id)
        fields = try Fields(from: decoder)
    }
}

/// A new story.
public struct NewStory: Hashable, Sendable, Encodable {
    /// The place of a new story.
    public struct Location: Hashable, Sendable, Encodable {
        /// The latitude.
        public var lat: Double
        /// The longitude.
        public var lon: Double
        /// How precisely others see it: `exact`, `approximate` or `hidden`; `nil` for the service's usual.
        public var precision: String?

        /// Creates a place.
        public init(_ point: GeoPoint, precision: String? = nil) {
            (lat, lon, self.precision) = (point.latitude, point.longitude, precision)
        }
    }

    /// The kind: `interview`, `photo`, `video` or `document`.
    public var kind: String
    /// The headline.
    public var title: String
    /// The text.
    public var text: String?
    /// The date of what it tells.
    public var date: String?
    /// The tags.
    public var tags: [String]?
    /// `public`, `family_only` or `private`; `nil` for the service's usual.
    public var privacy: String?
    /// Where it is.
    public var location: Location?

    /// Creates a draft.
    public init(kind: String, title: String, location: Location? = nil, privacy: String? = nil) {
        (self.kind, self.title, self.location, self.privacy) = (kind, title, location, privacy)
    }
}

/// A page of a list of stories.
public struct StoryListPage: Sendable, Decodable {
    private struct Item: Decodable {
        let id: String
        let properties: StoryRecord.Fields
    }

    private struct Link: Decodable {
        let rel: String
        let href: String
    }

    private enum Keys: CodingKey { case numberMatched, features, links }

    /// The stories.
    public let stories: [StoryRecord]
    /// How many there are on all pages.
    public let matched: Int
    /// The cursor of the next page; `nil` for the last.
    public let next: String?

    /// Reads a FeatureCollection.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Keys.self)
        matched = try container.decode(Int.self, forKey: .numberMatched)
        stories = try container.decode([Item].self, forKey: .features).map { StoryRecord(id: $0.id, $0.properties) }
        let link = try container.decode([Link].self, forKey: .links).first { $0.rel == "next" }
        let items = link.flatMap { URLComponents(string: $0.href)?.queryItems }
        next = items?.first { $0.name == "cursor" }?.value
    }
}
