import Formats

/// The rows of a file in any format, one by one.
enum RecordSource {
    case table(TableRecords)
    case features(FeatureRecords)
    case waypoints(WaypointRecords)

    init(_ file: ImportFile, options: StoryImporter.Options) throws(ImportProblem) {
        if let features = try FeatureSource.opened(file, options: options) {
            self = .features(FeatureRecords(file, source: features, options: options))
        } else if file.format == .gpx {
            self = .waypoints(try WaypointRecords(file, options: options))
        } else {
            self = .table(try TableRecords(file, options: options))
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
        case .features(let records): records.format
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

    /// Whether the format is always in longitude and latitude on WGS 84.
    var isGeographic: Bool {
        switch self {
        case .table: false
        case .features(let records): records.isGeographic
        case .waypoints: true
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

    /// The columns or properties that are not read and seem to say who may see a story.
    var privateColumns: [String] {
        switch self {
        case .table(let records): records.privateColumns
        case .features(let records): records.privateColumns
        case .waypoints(let records): records.privateColumns
        }
    }

    /// Checks, after the last row, what only all rows together show.
    func checkAll() throws(ImportProblem) {
        switch self {
        case .table(let records): try records.checkAll()
        case .features(let records): try records.checkAll()
        case .waypoints(let records): try records.checkAll()
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
