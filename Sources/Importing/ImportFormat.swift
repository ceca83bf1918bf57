import Formats

/// The formats supported for stories.
public enum ImportFormat: String, CaseIterable, Hashable, Sendable {
    /// Comma- or semicolon-separated values.
    case csv
    /// Tab-separated values.
    case tsv
    /// A GeoJSON feature or feature collection.
    case geoJSON = "geojson"
    /// A sequence of GeoJSON features.
    case geoJSONSequence = "geojsonseq"
    /// Waypoints of a GPX file.
    case gpx
    /// The first visible sheet of an Office Open XML workbook.
    case xlsx
    /// The first visible sheet of an OpenDocument spreadsheet.
    case ods
    /// The placemarks of KML, alone or packed as KMZ.
    case kml
    /// The events of a family tree.
    case gedcom
    /// The index of an interview in OHMS XML.
    case ohms
    /// The first layer of a GeoPackage.
    case geoPackage = "geopackage"
    /// A Shapefile with its table.
    case shapefile
    /// A FeatureSet of ArcGIS.
    case esriJSON = "esrijson"
    /// Objects in an array of JSON.
    case jsonObjects = "json"

    /// Returns the format for a file extension, after removing `.gz`; `nil` for other extensions.
    init?(fileExtension: String) {
        switch fileExtension {
        case "csv": self = .csv
        case "tsv", "tab": self = .tsv
        case "geojson", "json": self = .geoJSON
        case "geojsonseq", "geojsons", "geojsonl", "ndjson", "jsonl", "ndgeojson": self = .geoJSONSequence
        case "gpx": self = .gpx
        case "kml": self = .kml
        case "ged", "gedcom": self = .gedcom
        default: return nil
        }
    }

    /// Determines the format from the first bytes; assumes a table if they are inconclusive.
    init(content bytes: [UInt8]) {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let text = bytes.prefix(4096).drop { mark.contains($0) || $0 == 0x20 || (0x09...0x0D).contains($0) }
        switch text.first {
        case UInt8(ascii: "{"), UInt8(ascii: "["): self = .geoJSON
        case 0x1E: self = .geoJSONSequence
        case UInt8(ascii: "<"): self = ImportFormat.xml(bytes) ?? .gpx
        case UInt8(ascii: "0") where text.starts(with: "0 HEAD".utf8): self = .gedcom
        default: self = CSVReader(bytes).delimiter == UInt8(ascii: "\t") ? .tsv : .csv
        }
    }

    /// Determines the format of XML by its outermost element; `nil` if it is none of these.
    static func xml(_ bytes: [UInt8]) -> ImportFormat? {
        // The zeros of UTF-16 are left out: only names in ASCII are looked for.
        let start = String(decoding: bytes.prefix(4096).filter { $0 != 0 }, as: UTF8.self)
        for (mark, format) in [("<gpx", ImportFormat.gpx), ("<kml", .kml), ("ohms", .ohms), ("<ROOT", .ohms)]
        where start.contains(mark) {
            return format
        }
        return nil
    }
}
