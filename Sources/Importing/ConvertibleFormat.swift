import Formats

/// A format that stories are read from where GDAL is installed, and that is refused elsewhere.
package enum ConvertibleFormat: CaseIterable, Hashable, Sendable {
    case flatGeobuf, parquet, topoJSON

    /// Recognises a format by its content; `nil` for all others.
    package init?(content bytes: [UInt8]) {
        switch ForeignFormat(content: bytes) {
        case .flatGeobuf: self = .flatGeobuf
        case .parquet: self = .parquet
        case nil where GeoJSONReader.isTopology(bytes): self = .topoJSON
        default: return nil
        }
    }

    /// Returns whether a file that begins like this may be of such a format, so that it is worth reading whole.
    package static func mayBegin(_ start: [UInt8]) -> Bool {
        switch ForeignFormat(content: start) {
        case .flatGeobuf, .parquet: true
        case nil: GeoJSONReader.mayBeTopology(start)
        default: false
        }
    }

    /// The name for people.
    package var title: String {
        switch self {
        case .flatGeobuf: "FlatGeobuf"
        case .parquet: "Parquet"
        case .topoJSON: "TopoJSON"
        }
    }

    /// The name of GDAL's driver that reads it.
    package var driver: String { title }

    /// The usual extension.
    package var fileExtension: String {
        switch self {
        case .flatGeobuf: "fgb"
        case .parquet: "parquet"
        case .topoJSON: "topojson"
        }
    }

    /// The reason that a file with this path is refused where GDAL is not installed.
    package func refusal(name path: String) -> String {
        "the file is \(title); \(ForeignFormat.conversion(of: path)), or install gdal-bin and Waymark converts it itself"
    }
}
