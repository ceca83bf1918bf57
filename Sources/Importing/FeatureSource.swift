import Formats

/// Where the features of a file come from.
enum FeatureSource {
    /// GeoJSON, read feature by feature.
    case geoJSON(GeoJSONReader)

    /// Opens a file whose format has features; `nil` for a table or waypoints.
    static func opened(_ file: ImportFile) throws(ImportProblem) -> FeatureSource? {
        switch file.format {
        case .geoJSON, .geoJSONSequence: try geoJSON(file, isSequence: file.format == .geoJSONSequence)
        case .csv, .tsv, .gpx: nil
        }
    }

    /// Opens GeoJSON or a sequence of features.
    private static func geoJSON(_ file: ImportFile, isSequence: Bool) throws(ImportProblem) -> FeatureSource {
        do throws(JSONError) {
            return .geoJSON(try GeoJSONReader(file.bytes, isSequence: isSequence))
        } catch {
            throw file.error("the file is not GeoJSON: \(error)")
        }
    }

    /// The actual format of the file.
    var format: ImportFormat {
        switch self {
        case .geoJSON(let reader): reader.isSequence ? .geoJSONSequence : .geoJSON
        }
    }

    /// The reference system named in the file.
    var referenceSystem: String? {
        switch self {
        case .geoJSON(let reader): reader.referenceSystem
        }
    }

    /// The position of the next byte.
    var position: Int {
        switch self {
        case .geoJSON(let reader): reader.position
        }
    }

    /// Remarks of the reader on the file as a whole.
    func remarks(_ file: ImportFile) -> [ImportProblem] {
        switch self {
        case .geoJSON: []
        }
    }

    mutating func next(_ file: ImportFile) throws(ImportProblem) -> GeoJSONFeature? {
        switch self {
        case .geoJSON(var reader):
            defer { self = .geoJSON(reader) }
            do throws(JSONError) {
                return try reader.next()
            } catch {
                throw file.error("the file is not GeoJSON: \(error)")
            }
        }
    }
}
