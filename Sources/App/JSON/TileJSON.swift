import Formats
import Geometry
import Stories
import StoryMap

/// Writes the description of the vector tiles, TileJSON 3.0.0.
enum TileJSON: Sendable {
    /// Returns the answer of `GET /v1/tiles.json`.
    ///
    /// `box` surrounds everything the viewer may see, `template` is the absolute URL of the tiles.
    static func description(around box: BoundingBox?, template: String) -> [UInt8] {
        var json = JSONWriter(capacity: 1_500)
        json.beginObject()
        json.member("tilejson", "3.0.0")
        json.member("name", "stories")
        json.member("scheme", "xyz")
        json.member("minzoom", 0)
        json.member("maxzoom", MapSnapshot.maximumZoom)
        if let box {
            json.key("bounds")
            GeoJSONShapes.writeBox(tiledBox(box), to: &json)
        }
        json.member("tiles", [template])
        json.key("vector_layers")
        json.beginArray()
        writeLayer(deepest: MapSnapshot.maximumZoom, to: &json)
        json.endArray()
        json.endObject()
        return json.bytes
    }

    /// Returns the metadata of an archive of these tiles.
    static func layers(deepest: Int) -> [UInt8] {
        var json = JSONWriter(capacity: 1_500)
        json.beginObject()
        json.member("name", "stories")
        json.key("vector_layers")
        json.beginArray()
        writeLayer(deepest: deepest, to: &json)
        json.endArray()
        json.endObject()
        return json.bytes
    }

    /// Returns west, south, east and north of the box by which clients select tiles; of the world if there is none.
    static func tiledEdges(of box: BoundingBox?) -> [Double] {
        let box = box.map(tiledBox) ?? .world
        let limit = WebMercator.maximumLatitude
        return [box.west, max(-limit, box.south), box.east, min(limit, box.north)]
    }

    private static func writeLayer(deepest: Int, to json: inout JSONWriter) {
        json.beginObject()
        json.member("id", MarkerLayer.name)
        json.member("description", "Clusters and single stories, counted for the viewer and the filters.")
        json.member("minzoom", 0)
        json.member("maxzoom", deepest)
        json.key("fields")
        json.beginObject()
        for field in MarkerLayer.fields { json.member(field.name, field.type) }
        json.endObject()
        json.endObject()
    }

    /// Returns the box of stories that clients select tiles by.
    ///
    /// A TileJSON box may not cross the antimeridian, so a box that does is widened to all longitudes. Clients treat
    /// its edges as exclusive, so the box is slightly enlarged. Rows end at ±85.0511°; points beyond are in the
    /// outermost row.
    private static func tiledBox(_ box: BoundingBox) -> BoundingBox {
        let margin = 0.000_01
        let limit = WebMercator.maximumLatitude
        func row(_ latitude: Double) -> Double { min(limit, max(-limit, latitude)) }
        let isWhole = box.crossesAntimeridian
        return BoundingBox(
            west: isWhole ? -180 : max(-180, box.west - margin),
            south: row(box.south - margin),
            east: isWhole ? 180 : min(180, box.east + margin),
            north: row(box.north + margin)
        ) ?? .world
    }
}
