package import Library
import Formats
import Geometry
import Stories
package import StoryMap

/// Writes the markers of a tile as the single layer of a vector tile, with supercluster's property names.
package enum MarkerLayer: Sendable {
    /// The name of the layer.
    static let name = "stories"

    /// The properties of the features and their types, as listed in a description of the tiles.
    static let fields: [(name: String, type: String)] = [
        ("cluster", "Boolean"), ("cluster_id", "Number"), ("point_count", "Number"),
        ("point_count_abbreviated", "String"), ("sqrt_point_count", "Number"), ("expansion_zoom", "Number"),
        ("stacked", "Boolean"), ("places", "Number"), ("id", "String"), ("kind", "String"), ("title", "String"),
        ("date", "String"), ("place_id", "String"), ("place", "String"), ("stories_here", "Number"),
        ("privacy", "String"), ("thumbnail", "String"),
    ]

    /// Returns the bytes of a tile with these markers; empty if there are none.
    static func bytes(_ markers: [Marker], of tile: MapTile) -> [UInt8] {
        var layer = VectorTile(name: name)
        for marker in markers {
            let (x, y) = tile.position(of: marker.position)
            // Every marker has an id, so that a map can highlight the one under the pointer.
            layer.addPoint(x: x, y: y, id: marker.clusterID.rawValue, properties: properties(marker))
        }
        return layer.bytes
    }

    /// Returns the bytes of a tile of a snapshot; empty if it contains nothing.
    package static func bytes(of tile: MapTile, in snapshot: MapSnapshot, _ query: StoryQuery) -> [UInt8] {
        bytes(snapshot.markers(inTile: tile.column, row: tile.row, zoom: tile.zoom, query), of: tile)
    }

    private static func properties(_ marker: Marker) -> [(key: String, value: VectorTile.Value)] {
        guard let single = marker.single else { return cluster(marker) }
        let texts: [(String, String?)] = [
            ("id", single.id.description), ("kind", single.kind.rawValue), ("title", single.title),
            ("date", single.date), ("place_id", single.place.description), ("place", single.further?.description),
            ("privacy", single.privacy.rawValue),
            ("thumbnail", single.picture.map { StoryJSON.pictureAddress(of: single.id, version: $0) }),
        ]
        return [("cluster", .flag(false)), ("stories_here", .integer(single.storiesHere))]
            + texts.compactMap { name, text in text.map { (name, .text($0)) } }
    }

    private static func cluster(_ marker: Marker) -> [(key: String, value: VectorTile.Value)] {
        let root = (Double(marker.count).squareRoot() * 100).rounded() / 100
        let places: [(key: String, value: VectorTile.Value)] =
            marker.places == marker.count ? [] : [("places", .integer(marker.places))]
        return [
            ("cluster", .flag(true)), ("cluster_id", .integer(Int(marker.clusterID.rawValue))),
            ("point_count", .integer(marker.count)),
            (
                "point_count_abbreviated",
                marker.count < 1_000 ? .integer(marker.count) : .text(MarkerJSON.abbreviation(of: marker.count))
            ),
            ("sqrt_point_count", .number(root)), ("expansion_zoom", .integer(marker.expansionZoom)),
            ("stacked", .flag(marker.isStacked)),
        ] + places
    }
}
