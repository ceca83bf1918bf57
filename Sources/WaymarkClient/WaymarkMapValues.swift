import Foundation

/// A marker of the map.
public enum MapMarker: Hashable, Sendable {
    /// Several stories that are near each other at this zoom, or at one place.
    case cluster(MapCluster)
    /// One story.
    case story(MapStory)

    /// Where it is drawn.
    public var point: GeoPoint {
        switch self {
        case .cluster(let cluster): cluster.point
        case .story(let story): story.point
        }
    }

    /// The number of its stories.
    public var count: Int {
        switch self {
        case .cluster(let cluster): cluster.count
        case .story: 1
        }
    }
}

/// Several stories as one marker.
public struct MapCluster: Hashable, Sendable {
    /// The id, by which its stories can be listed.
    public let id: Int
    /// Where it is drawn.
    public let point: GeoPoint
    /// The exact number of stories that the caller may see.
    public let count: Int
    /// The first deeper zoom at which it splits; 21 if it never does.
    public let expansionZoom: Int
}

/// One story as a marker.
public struct MapStory: Hashable, Sendable {
    /// The id of the story.
    public let id: String
    /// Where it is drawn.
    public let point: GeoPoint
    /// The kind.
    public let kind: String
    /// The headline.
    public let title: String
}

extension MapMarker: Decodable {
    private struct Geometry: Decodable { let coordinates: [Double] }

    private struct Properties: Decodable {
        let cluster: Bool
        let clusterId: Int?
        let pointCount: Int?
        let expansionZoom: Int?
        let kind: String?
        let title: String?
    }

    private enum Keys: CodingKey { case id, geometry, properties }

    /// Reads a feature of the map.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Keys.self)
        let coordinates = try container.decode(Geometry.self, forKey: .geometry).coordinates
        let properties = try container.decode(Properties.self, forKey: .properties)
        guard coordinates.count >= 2 else { throw MapMarker.broken("coordinates", decoder) }
        let point = GeoPoint(latitude: coordinates[1], longitude: coordinates[0])
        guard properties.cluster else {
            guard let kind = properties.kind, let title = properties.title else {
                throw MapMarker.broken("title", decoder)
            }
            let id = try container.decode(String.self, forKey: .id)
            self = .story(MapStory(id: id, point: point, kind: kind, title: title))
            return
        }
        guard let id = properties.clusterId, let count = properties.pointCount, let zoom = properties.expansionZoom
        else {
            throw MapMarker.broken("cluster_id", decoder)
        }
        self = .cluster(MapCluster(id: id, point: point, count: count, expansionZoom: zoom))
    }

    private static func broken(_ name: String, _ decoder: any Decoder) -> DecodingError {
        .dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "a marker without \(name)"))
    }
}

/// The markers of a part of the map.
struct MarkerList: Decodable {
    let features: [MapMarker]
}

/// A place that the geocoder knows.
public struct GeocodedPlace: Hashable, Sendable, Decodable {
    /// The name.
    public let name: String
    /// The name with the areas around it.
    public let label: String?
    /// What it is, such as `city`.
    public let kind: String
    /// The latitude.
    public let lat: Double
    /// The longitude.
    public let lon: Double
    /// How well it fits what was asked, from 0 to 1.
    public let confidence: Double

    /// The point.
    public var point: GeoPoint { GeoPoint(latitude: lat, longitude: lon) }
}
