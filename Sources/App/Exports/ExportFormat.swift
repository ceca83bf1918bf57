/// The format of exported stories.
public enum ExportFormat: String, CaseIterable, Sendable {
    /// One FeatureCollection with a JSON-LD context.
    case geojson
    /// A table with a header; lists are separated by semicolons.
    case csv
    /// One GeoJSON feature per line.
    case ndjson
    /// Placemarks (OGC 12-007r2) with all columns as data; further places in a folder after the stories.
    case kml
    /// Waypoints of GPX 1.1.
    case gpx
    /// Linked Places 1.3, which the World Historical Gazetteer reads.
    case linkedPlaces = "lpf"
    /// A IIIF collection whose manifests have a place (navPlace).
    case navPlace = "navplace"
    /// A GeoPackage 1.3 with a layer of stories, and one of their further places if there are any.
    case geoPackage = "gpkg"
    /// Tiles of the map in a SQLite database.
    case mbtiles
    /// Tiles of the map in one file that a static server can serve.
    case pmtiles

    /// Whether the content is written from the beginning to the end, so that it can go into a pipe.
    public var isStreamed: Bool {
        switch self {
        case .geojson, .csv, .ndjson, .kml, .gpx, .linkedPlaces, .navPlace: true
        case .geoPackage, .mbtiles, .pmtiles: false
        }
    }

    /// Whether the content is tiles of the map rather than stories.
    public var isTiles: Bool { self == .mbtiles || self == .pmtiles }

    /// Whether positions can be in another reference system than WGS 84.
    public var takesReferenceSystem: Bool {
        switch self {
        case .geojson, .csv, .ndjson, .geoPackage: true
        case .kml, .gpx, .linkedPlaces, .navPlace, .mbtiles, .pmtiles: false
        }
    }

    /// Whether a story without a place is part of it.
    public var holdsStoriesWithoutPlace: Bool {
        switch self {
        case .geojson, .csv, .ndjson, .kml, .navPlace, .geoPackage: true
        case .gpx, .linkedPlaces, .mbtiles, .pmtiles: false
        }
    }

    /// Returns the format for the ending of a file's name, `nil` for an unknown one.
    public init?(fileExtension: String) {
        switch fileExtension.lowercased() {
        case "json": self = .geojson
        case "jsonl", "geojsonl", "geojsons": self = .ndjson
        case let ending:
            guard let format = ExportFormat(rawValue: ending) else { return nil }
            self = format
        }
    }
}
