import Formats
import Stories

/// Where the features of a file come from.
enum FeatureSource {
    /// GeoJSON, read feature by feature.
    case geoJSON(GeoJSONReader)
    /// GeoJSON that was made of another format.
    case converted(GeoJSONReader, format: ImportFormat, remarks: [String] = [])
    /// A document that was read whole.
    case document(FeatureDocument, format: ImportFormat, next: Int)

    /// Opens a file whose format has features; `nil` for a table or waypoints.
    static func opened(_ file: ImportFile, options: StoryImporter.Options) throws(ImportProblem) -> FeatureSource? {
        if [.kml, .ohms, .gedcom].contains(file.format), file.bytes.count > largestDocument {
            throw file.error(
                "the file has more than \(largestDocument >> 20) MiB; split it, or convert it with 'ogr2ogr -f GeoJSONSeq'"
            )
        }
        do throws(FeatureDocumentError) {
            switch file.format {
            case .geoJSON, .geoJSONSequence: break
            case .geoPackage, .shapefile, .esriJSON, .jsonObjects: break
            case .kml: return .document(try FeatureDocument(kml: file.bytes), format: .kml, next: 0)
            case .ohms: return .document(try FeatureDocument(ohms: file.bytes), format: .ohms, next: 0)
            case .gedcom:
                // Today is unknown only in tests; then everybody may be alive.
                let year = options.today.flatMap { Int($0.description.prefix(4)) } ?? 0
                let document = try FeatureDocument(gedcom: file.bytes, bornBefore: year - longestLife)
                return .document(document, format: .gedcom, next: 0)
            case .csv, .tsv, .xlsx, .ods, .gpx: return nil
            }
        } catch {
            throw file.error(error.reason, row: error.line)
        }
        switch file.format {
        case .geoPackage, .shapefile, .esriJSON, .jsonObjects:
            return try converted(file.bytes, file, format: file.format)
        default: return try geoJSON(file, isSequence: file.format == .geoJSONSequence)
        }
    }

    /// The maximum size of a document in bytes: unlike the others, documents are held in memory as features.
    static let largestDocument = 128 << 20

    /// The number of years after which somebody without a recorded death is taken to be dead.
    private static let longestLife = 110

    /// Opens GeoJSON or a sequence of features.
    private static func geoJSON(_ file: ImportFile, isSequence: Bool) throws(ImportProblem) -> FeatureSource {
        let reader: GeoJSONReader
        do throws(JSONError) {
            reader = try GeoJSONReader(file.bytes, isSequence: isSequence)
        } catch {
            guard !isSequence, file.bytes.count <= largestDocument, let foreign = try foreign(file) else {
                throw file.error("the file is not GeoJSON: \(error)")
            }
            return try converted(foreign, file)
        }
        return .geoJSON(reader)
    }

    private static func converted(_ foreign: ForeignJSON, _ file: ImportFile) throws(ImportProblem) -> FeatureSource {
        let source = try converted(foreign.geoJSON, file, format: foreign.kind == .esri ? .esriJSON : .jsonObjects)
        guard case .converted(let reader, let format, _) = source else { return source }
        return .converted(reader, format: format, remarks: foreign.remarks + remarks(onPrivate: foreign.privateValues))
    }

    /// Returns a remark on what a server of ArcGIS says about its list, which it also writes as GeoJSON.
    private static func remarks(onCut notes: [FileNote]) -> [String] {
        let isCut = notes.contains { $0.name == "exceededTransferLimit" && $0.value == "true" }
        return isCut ? [ForeignJSON.cut(after: nil)] : []
    }

    private static func remarks(onPrivate values: Int) -> [String] {
        values == 0 ? [] : ["values that Omeka S marks as not public were left out (\(values))"]
    }

    private static func foreign(_ file: ImportFile) throws(ImportProblem) -> ForeignJSON? {
        do throws(JSONError) {
            return try ForeignJSON(file.bytes)
        } catch {
            throw file.error("the file is not JSON: \(error)")
        }
    }

    private static func converted(
        _ bytes: [UInt8],
        _ file: ImportFile,
        format: ImportFormat
    ) throws(ImportProblem) -> FeatureSource {
        do throws(JSONError) {
            return .converted(try GeoJSONReader(bytes), format: format)
        } catch {
            throw file.error("the file cannot be read: \(error)")
        }
    }

    /// The actual format of the file.
    var format: ImportFormat {
        switch self {
        case .geoJSON(let reader): reader.isSequence ? .geoJSONSequence : .geoJSON
        case .converted(_, let format, _): format
        case .document(_, let format, next: _): format
        }
    }

    /// The reference system named in the file.
    var referenceSystem: String? {
        switch self {
        case .geoJSON(let reader), .converted(let reader, _, _): reader.referenceSystem
        case .document: nil
        }
    }

    /// Whether the format is always in longitude and latitude on WGS 84.
    var isGeographic: Bool {
        if case .document = self { true } else { false }
    }

    /// What the file says about itself.
    var notes: [FileNote] {
        switch self {
        case .geoJSON(let reader), .converted(let reader, _, _): reader.notes
        case .document(let document, format: _, next: _): document.notes
        }
    }

    /// Returns the position of the next byte; for a document an estimate.
    func position(in file: ImportFile) -> Int {
        switch self {
        case .geoJSON(let reader): reader.position
        case .converted(let reader, _, _): min(reader.position, file.bytes.count)
        case .document(let document, format: _, let next):
            Int(Double(file.bytes.count) * Double(next) / Double(max(1, document.features.count)))
        }
    }

    /// Remarks of the reader on the file as a whole.
    func remarks(_ file: ImportFile) -> [ImportProblem] {
        switch self {
        case .geoJSON(let reader):
            (FeatureSource.remarks(onCut: reader.notes) + FeatureSource.remarks(onPrivate: reader.privateValues))
                .map { file.warning($0) }
        case .converted(_, _, let remarks): remarks.map { file.warning($0) }
        case .document(let document, format: _, next: _): document.remarks.map { file.warning($0) }
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
        case .converted(var reader, let format, let remarks):
            defer { self = .converted(reader, format: format, remarks: remarks) }
            do throws(JSONError) {
                return try reader.next()
            } catch {
                throw file.error("the file cannot be read: \(error)")
            }
        case .document(let document, let format, let next):
            guard next < document.features.count else { return nil }
            self = .document(document, format: format, next: next + 1)
            return document.features[next]
        }
    }
}
