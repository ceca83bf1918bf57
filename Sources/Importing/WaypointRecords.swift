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
    private let kinds: Set<StoryKind>
    /// The elements that were not read, each with the number of its rows.
    private var unread: [String: Int] = [:]
    /// The number of links that were too many, and of their rows.
    private var furtherLinks = (links: 0, rows: 0)

    init(_ file: ImportFile, options: StoryImporter.Options) throws(ImportProblem) {
        self.file = file
        kinds = options.knownKinds
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
        let problems = trace.problems.filter { !$0.isKeptInWords }
            .map { problem in
                problem.losesWaypoint
                    ? file.error(WaypointRecords.unreadable, row: problem.place.row)
                    : file.warning(problem.words, row: problem.place.row)
            }
        let rest = problems + [remarkOnUnread, remarkOnLinks].compactMap(\.self)
        if trace.segments.isEmpty, trace.routePoints.isEmpty { return rest }
        return rest + [
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
        record.values[.date] = WaypointRecords.date(of: waypoint)
        // What identifies a story must not change with what is read of it besides.
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
        read(waypoint, &record)
        return record
    }

    /// Returns the time in the words of the file, which are read like those of a table.
    private static func date(of waypoint: TraceWaypoint) -> String? {
        guard let words = waypoint.content.time?.trimmed else { return waypoint.time.map(RFC3339.format) }
        switch DateReading(words) {
        case .date, .partial: return words
        // Seconds since 1970 are a time to programs for positions alone.
        case .unknown, .outOfRange, .unreadable: return waypoint.time?.day?.description ?? words
        }
    }

    /// Reads comment, category and links of a waypoint; our own exports have there what their extensions say as well.
    private mutating func read(_ waypoint: TraceWaypoint, _ record: inout ImportRecord) {
        let content = waypoint.content
        let isOwn = waypoint.story[.kind] != nil
        let date = waypoint.story[.date]?.trimmed
        if let comment = content.comment?.trimmed {
            let said = [date, record.values[.title], record.values[.text]].compactMap(\.self)
            if !said.contains(where: { ImportText.isSame(comment, $0) }) { record.paragraphs.append(comment) }
        } else if let date, record.values[.text] == date {
            // The comment alone, which is no text.
            record.values[.text] = nil
        }
        if !isOwn, let category = content.category?.trimmed { readCategory(category, &record) }
        record.fill(from: content.links.filter { !isOwn || !WaypointRecords.isStoryPage($0.address) })
        if content.furtherLinks > 0 {
            furtherLinks = (furtherLinks.links + content.furtherLinks, furtherLinks.rows + 1)
        }
        for name in content.unread where !(isOwn && name == "src") { unread[name, default: 0] += 1 }
    }

    /// Reads a category as the kind, if it is one, or as tags.
    private mutating func readCategory(_ category: String, _ record: inout ImportRecord) {
        if let kind = StoryKind(ImportField.normalized(category)), kinds.contains(kind) {
            record.values[.kind] = kind.rawValue
            return
        }
        let tags = ImportText.parts(category, splitsAtCommas: false).map(ImportText.line).filter { !$0.isEmpty }
        // Every waypoint of Garmin's BaseCamp has the category "user".
        guard record.values[.tags] == nil, category != "user", tags.count <= StoryLimits.listLength,
            tags.allSatisfy({ StoryLimits.fits($0, characters: StoryLimits.nameLength) })
        else {
            unread["type", default: 0] += 1
            return
        }
        record.values[.tags] = category
        record.lists[.tags] = tags
    }

    /// Returns whether our own exports wrote the address for the page of a story, which has no recording.
    private static func isStoryPage(_ address: String) -> Bool {
        let parts = address.split(separator: "/")
        guard parts.count > 2, parts[parts.count - 2] == "stories", let id = parts.last else { return false }
        return StoryID(id) != nil
    }

    private var remarkOnLinks: ImportProblem? {
        guard furtherLinks.rows > 0 else { return nil }
        let (links, rows) = furtherLinks
        return file.warning(
            "\(links) \(links == 1 ? "link" : "links") beyond the first \(WaypointContent.mostLinks) of a waypoint were left out "
                + "(\(rows == 1 ? "1 row" : "\(rows) rows"))"
        )
    }

    /// A remark on the elements of which a story has nothing; `nil` if there are none.
    private var remarkOnUnread: ImportProblem? {
        guard !unread.isEmpty else { return nil }
        let names = unread.sorted { $0.key < $1.key }
            .prefix(20)
            .map { "\($0.key.prefix(40)) (\($0.value == 1 ? "1 row" : "\($0.value) rows"))" }
        let more = unread.count > 20 ? " and \(unread.count - 20) more" : ""
        let elements = unread.count == 1 ? "element" : "elements"
        return file.warning("nothing was read from the \(elements) \(names.joined(separator: ", "))\(more)")
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
