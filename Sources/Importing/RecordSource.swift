import Formats

/// The rows of a file in any format, one by one.
enum RecordSource {
    case table(TableRecords)
    case features(FeatureRecords)
    case waypoints(WaypointRecords)

    init(_ file: ImportFile, options: StoryImporter.Options) throws(ImportProblem) {
        switch file.format {
        case .csv, .tsv: self = .table(try TableRecords(file))
        case .geoJSON: self = .features(try FeatureRecords(file, isSequence: false))
        case .geoJSONSequence: self = .features(try FeatureRecords(file, isSequence: true))
        case .gpx: self = .waypoints(try WaypointRecords(file))
        }
    }

    /// Returns the next row, or `nil` at the end.
    mutating func next() throws(ImportProblem) -> ImportRecord? {
        switch self {
        case .table(var records):
            defer { self = .table(records) }
            return try records.next()
        case .features(var records):
            defer { self = .features(records) }
            return try records.next()
        case .waypoints(var records):
            defer { self = .waypoints(records) }
            return records.next()
        }
    }

    /// The actual format of the file.
    var format: ImportFormat {
        switch self {
        case .table(let records): records.format
        case .features(let records): records.isSequence ? .geoJSONSequence : .geoJSON
        case .waypoints: .gpx
        }
    }

    /// The reference system named in the file.
    var referenceSystem: String? {
        switch self {
        case .table, .waypoints: nil
        case .features(let records): records.referenceSystem
        }
    }

    /// The position of the next byte.
    var position: Int {
        switch self {
        case .table(let records): records.position
        case .features(let records): records.position
        case .waypoints(let records): records.position
        }
    }

    /// The columns or properties that are not imported.
    var ignoredNames: [String] {
        switch self {
        case .table(let records): records.ignoredNames
        case .features(let records): records.ignoredNames
        case .waypoints: []
        }
    }

    /// Remarks on the file as a whole, complete once all rows have been read.
    var remarks: [ImportProblem] {
        switch self {
        case .table(let records): records.remarks
        case .features(let records): records.remarks
        case .waypoints(let records): records.remarks
        }
    }
}
