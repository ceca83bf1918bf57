import Formats
import Geometry
import Stories

/// The waypoints of a GPX file as rows; its tracks are recordings, not stories.
struct WaypointRecords {
    private let file: ImportFile
    private let trace: Trace
    private var index = 0
    /// The elements, or those of extensions, that are not read and seem to say who may see a waypoint.
    let privateColumns: [String]
    private let note: FileNote?

    init(_ file: ImportFile, options: StoryImporter.Options) throws(ImportProblem) {
        self.file = file
        let details = options.watchesPrivacy ? WaypointDetails(gpx: file.bytes) : nil
        note =
            options.privacyIsGiven
            ? nil : details?.notes.first { PrivacyGuess.isAbout($0.name, $0.value, on: options.today) }
        do {
            trace = try TraceReader.read(file.bytes, fileName: file.name, limits: TraceLimits(bytes: file.bytes.count))
        } catch let error as TraceError where error.code == .notATrace {
            throw file.error("the file is not GPX; \(ImportFile.readFormats)")
        } catch let error as TraceError {
            throw file.error("\(error.problem); \(error.remedy)", row: error.place.row)
        } catch {
            throw file.error("the file cannot be read as GPX: \(error)")
        }
        let rows = trace.waypoints.count
        privateColumns = details.map { WaypointRecords.privateElements($0, rows: rows, on: options.today) } ?? []
        if trace.waypoints.isEmpty, let lost = trace.problems.first(where: \.losesWaypoint) {
            throw file.error(WaypointRecords.unreadable, row: lost.place.row)
        }
        guard trace.sourceFormat == .gpx, !trace.waypoints.isEmpty else {
            throw file.error(
                "the file has no waypoints; only waypoints become stories. For tracks, use 'waymark replay'"
            )
        }
    }

    /// Returns the names; each value of an element is known once, so that other waypoints may be without it.
    private static func privateElements(_ details: WaypointDetails, rows: Int, on today: CalendarDay?) -> [String] {
        var guesses: [String: PrivacyGuess] = [:]
        for (name, value) in details.values {
            guesses[name, default: PrivacyGuess(column: name, on: today)].see(value)
        }
        return guesses.filter { $0.value.isLikely(rows: rows) }.keys.sorted()
    }

    /// The approximate number of bytes read, estimated from the number of waypoints read.
    var position: Int {
        Int(Double(file.bytes.count) * Double(index) / Double(trace.waypoints.count))
    }

    private static let unreadable =
        "the position of the waypoint cannot be read; correct it or remove the waypoint"

    /// The problems found by the trace reader; an unreadable waypoint is a row with an error.
    var remarks: [ImportProblem] {
        let problems = trace.problems.map { problem in
            problem.losesWaypoint
                ? file.error(WaypointRecords.unreadable, row: problem.place.row)
                : file.warning(problem.words, row: problem.place.row)
        }
        if trace.segments.isEmpty, trace.routePoints.isEmpty { return problems }
        return problems + [
            file.warning("the tracks and routes of the file were not read; only waypoints become stories")
        ]
    }

    /// Checks that the file does not seem to say about itself who may see its stories.
    func checkAll() throws(ImportProblem) {
        if let note { throw file.error(note) }
    }

    mutating func next() -> ImportRecord? {
        guard index < trace.waypoints.count else { return nil }
        let waypoint = trace.waypoints[index]
        index += 1
        var record = ImportRecord(row: waypoint.place.row ?? index)
        record.hasGeometry = true
        record.position = .init(x: waypoint.coordinate.longitude, y: waypoint.coordinate.latitude)
        record.values[.title] = waypoint.name?.trimmed
        record.values[.text] = waypoint.description?.trimmed
        record.values[.date] = waypoint.time?.day?.description
        let parts = [
            waypoint.name ?? "", waypoint.description ?? "", waypoint.time.map(RFC3339.format) ?? "",
            waypoint.coordinate.latitude.description, waypoint.coordinate.longitude.description,
        ]
        for part in parts { record.digest.add(part) }
        for part in WaypointStory.allCases {
            guard let value = waypoint.story[part]?.trimmed, let field = ImportField(rawValue: part.column) else {
                continue
            }
            record.values[field] = value
            record.digest.add(value)
        }
        // Our exports have the date as a comment, too, which is no text.
        if let date = waypoint.story[.date]?.trimmed, record.values[.text] == date { record.values[.text] = nil }
        return record
    }
}

extension TracePlace {
    /// The line or feature, or `nil` for the file as a whole.
    fileprivate var row: Int? {
        switch self {
        case .file: nil
        case .line(let number), .feature(let number): number
        case .position(_, let feature): feature
        }
    }
}
