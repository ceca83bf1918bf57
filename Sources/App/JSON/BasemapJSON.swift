import Basemap
import Library
import Formats

/// Writes descriptions of basemaps.
enum BasemapJSON: Sendable {
    /// Returns the list of basemaps, each with the address of its TileJSON below `url`.
    static func list(_ basemaps: [TileSet], url: String) -> [UInt8] {
        var json = JSONWriter(capacity: 500)
        json.beginObject()
        json.key("basemaps")
        json.beginArray()
        for basemap in basemaps {
            json.beginObject()
            json.member("name", basemap.name)
            json.member("kind", basemap.archive.kind == .vector ? "vector" : "raster")
            json.member("media_type", basemap.archive.kind.mediaType)
            appendExtent(of: basemap, to: &json)
            json.member("attribution", basemap.attribution)
            json.member("tilejson", "\(url)/\(basemap.name)")
            json.endObject()
        }
        json.endArray()
        json.endObject()
        return json.bytes
    }

    /// Returns the TileJSON 3.0.0 of a basemap, whose tiles are below `url`.
    ///
    /// The address of the tiles contains the version of the basemap, so that caches may keep them.
    static func description(_ basemap: TileSet, url: String) -> [UInt8] {
        var json = JSONWriter(capacity: 1_000)
        json.beginObject()
        json.member("tilejson", "3.0.0")
        json.member("name", basemap.name)
        json.member("scheme", "xyz")
        json.member("attribution", basemap.attribution)
        appendExtent(of: basemap, to: &json)
        json.member("tiles", ["\(url)/\(basemap.name)/{z}/{x}/{y}?v=\(basemap.version)"])
        if let layers = layers(of: basemap) {
            json.key("vector_layers")
            json.value(layers)
        }
        json.endObject()
        return json.bytes
    }

    /// Appends where there are tiles: the zooms, and the box in degrees.
    private static func appendExtent(of basemap: TileSet, to json: inout JSONWriter) {
        json.member("minzoom", basemap.archive.zooms.lowerBound)
        json.member("maxzoom", basemap.archive.zooms.upperBound)
        json.key("bounds")
        json.beginArray()
        for degrees in TileBounds.checked(basemap.archive.bounds) ?? TileBounds.world { json.value(degrees) }
        json.endArray()
    }

    /// Returns the list of layers in the archive's own description; `nil` if it has none.
    private static func layers(of basemap: TileSet) -> JSONValue? {
        let limits = JSONValue.Limits(bytes: basemap.archive.metadata.count)
        guard let metadata = try? JSONValue(parsing: basemap.archive.metadata, limits: limits),
            let layers = metadata["vector_layers"], layers.array != nil
        else { return nil }
        return layers
    }
}
