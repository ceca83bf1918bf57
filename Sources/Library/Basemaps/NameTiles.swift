import Basemap
import Formats
import Foundation
import Gazetteer
import Geometry

/// Puts the names of the gazetteer's places on the map.
struct NameTiles {
    /// The deepest zoom of the tiles.
    static let tileZoom = 10
    /// The deepest zoom for which names are spread out.
    static let labelZoom = 14

    let gazetteer: GazetteerIndex
    /// The folder `tiles`, with the names of countries, states and oceans.
    let folder: URL

    /// Returns the archive as bytes.
    ///
    /// - Throws: ``BasemapFiles/Failure`` if a file is missing or damaged; `CancellationError` if the
    ///   task was cancelled.
    func archive() throws -> [UInt8] {
        let places = (0..<gazetteer.placeCount).lazy.compactMap(gazetteer.mapName).compactMap(NameTiles.label)
        let labels = try WorldDrawing(folder: folder).labels + places
        let tiles = LabelTiles(labels: labels, maximumZoom: NameTiles.tileZoom, labelZoom: NameTiles.labelZoom)
        var builder = TileArchiveBuilder()
        try tiles.forEach { tile, bytes in
            try Task.checkCancellation()
            try builder.add(tile, bytes: bytes)
        }
        let metadata = BasemapMetadata.json(
            name: "names",
            layers: [(LabelTiles.layer, ["name": "String", "class": "String", "min_zoom": "Number"])],
            zooms: 0...NameTiles.tileZoom
        )
        return try builder.finish(metadata: metadata, bounds: BasemapMetadata.world)
    }

    /// Returns the label of a place; `nil` for kinds that the map does not name or names otherwise.
    private static func label(_ name: MapName) -> MapLabel? {
        let kind: MapLabel.Class? =
            switch name.kind {
            case .city: .city
            case .town: .town
            case .village: .village
            case .neighbourhood: .neighbourhood
            case .county: .county
            case .water, .river: .water
            case .island: .island
            case .mountain: .mountain
            case .park: .park
            case .airport: .airport
            case .country, .admin1, .postcode, .coordinate, .street, .landmark, .address, .area: nil
            }
        guard let kind, !name.text.isEmpty else { return nil }
        return MapLabel(
            text: name.text,
            kind: kind,
            population: name.population,
            longitude: name.coordinate.longitude,
            latitude: name.coordinate.latitude
        )
    }
}

/// The description of a basemap inside its archive.
enum BasemapMetadata {
    /// West, south, east and north of the map in degrees.
    static let world = [-180, -85.0511, 180, 85.0511]

    /// Returns the JSON object that PMTiles asks for.
    static func json(
        name: String,
        attribution: String? = nil,
        layers: [(id: String, fields: [String: String])],
        zooms: ClosedRange<Int>
    ) -> [UInt8] {
        var json = JSONWriter(capacity: 1_000)
        json.beginObject()
        json.member("name", name)
        if let attribution { json.member("attribution", attribution) }
        json.key("vector_layers")
        json.beginArray()
        for layer in layers {
            json.beginObject()
            json.member("id", layer.id)
            json.member("minzoom", zooms.lowerBound)
            json.member("maxzoom", zooms.upperBound)
            json.key("fields")
            json.beginObject()
            for (field, type) in layer.fields.sorted(by: { $0.key < $1.key }) { json.member(field, type) }
            json.endObject()
            json.endObject()
        }
        json.endArray()
        json.endObject()
        return json.bytes
    }
}
