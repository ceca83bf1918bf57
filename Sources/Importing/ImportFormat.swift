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

    /// Returns the format for a file extension, after removing `.gz`; `nil` for other extensions.
    init?(fileExtension: String) {
        switch fileExtension {
        case "csv": self = .csv
        case "tsv", "tab": self = .tsv
        case "geojson", "json": self = .geoJSON
        case "geojsonseq", "geojsons", "geojsonl", "ndjson", "jsonl", "ndgeojson": self = .geoJSONSequence
        case "gpx": self = .gpx
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
        case UInt8(ascii: "<") where text.starts(with: "<gpx".utf8) || text.starts(with: "<?xml".utf8): self = .gpx
        default: self = CSVReader(bytes).delimiter == UInt8(ascii: "\t") ? .tsv : .csv
        }
    }
}
