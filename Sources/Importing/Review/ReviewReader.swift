import Formats
import Gazetteer
public import Geometry
public import Stories

/// What somebody chose for one row of a ``ReviewTable``.
public enum ReviewChoice: Hashable, Sendable {
    /// Nothing yet.
    case open
    /// It has no place: do not ask again.
    case none
    /// One of the candidates, with what the table says about it.
    case candidate(PlaceCandidate)
    /// A position typed by hand.
    case position(Coordinate)
}

/// One row of an edited table.
public struct ReviewedRow: Hashable, Sendable {
    /// The line of the table at which the row begins.
    public let line: Int
    /// The story, if the row still says which.
    public let story: StoryID?
    /// The owner, the name of the import and the id in it, which identify the story too.
    public let owner: UserID?
    /// The name of the import.
    public let source: String
    /// The id in that source.
    public let sourceID: String
    /// The choice.
    public let choice: ReviewChoice
    /// The row as it stands in the table, with its line end.
    public let bytes: [UInt8]

    /// Creates a row.
    public init(
        line: Int,
        story: StoryID? = nil,
        owner: UserID? = nil,
        source: String = "",
        sourceID: String = "",
        choice: ReviewChoice,
        bytes: [UInt8] = []
    ) {
        self.line = line
        self.story = story
        self.owner = owner
        self.source = source
        self.sourceID = sourceID
        self.choice = choice
        self.bytes = bytes
    }
}

/// Reads a table after somebody edited it; saved with commas, semicolons or tabs.
public struct ReviewReader: Sendable {
    /// The rows.
    public let rows: [ReviewedRow]
    /// The header as it stands in the table, with its mark and line end.
    public let header: [UInt8]

    /// The maximum size of a table in bytes.
    public static let byteLimit = 200 * 1024 * 1024
    /// The maximum number of problems that are returned; the first ones.
    public static let problemLimit = 1_000

    /// Problems with a table, in the order of its rows.
    public struct Failure: Error, Sendable {
        /// The problems, at least one.
        public let problems: [ImportProblem]
    }

    /// Reads a table.
    ///
    /// - Throws: ``Failure`` naming each row and field that cannot be read; nothing of the table may then be used.
    public init(_ bytes: [UInt8], fileName: String) throws(Failure) {
        var table = try Table(bytes, fileName: fileName)
        var rows: [ReviewedRow] = []
        var problems: [ImportProblem] = []
        while problems.count < Self.problemLimit, let row = table.nextRow() {
            do throws(ImportProblem) {
                guard let read = try table.read(row) else { continue }
                if read.choice != .open { try table.checkOnce(read) }
                rows.append(read)
            } catch {
                problems.append(error)
            }
        }
        guard problems.isEmpty else { throw Failure(problems: problems) }
        self.rows = rows
        header = table.header
    }
}

/// The table while it is read.
private struct Table {
    let fileName: String
    private(set) var header: [UInt8] = []
    private let delimiter: UInt8
    private let columns: [String: Int]
    private var rows: ArraySlice<CSVRow>
    /// The lines of the rows with a choice, by story.
    private var chosen: [StoryID: Int] = [:]

    init(_ bytes: [UInt8], fileName: String) throws(ReviewReader.Failure) {
        self.fileName = fileName
        func failure(_ message: String, row: Int? = nil, field: String? = nil) -> ReviewReader.Failure {
            ReviewReader.Failure(problems: [
                ImportProblem(file: fileName, row: row, field: field, severity: .error, message: message)
            ])
        }
        guard bytes.count <= ReviewReader.byteLimit else {
            throw failure("has more than \(ReviewReader.byteLimit) bytes; split it")
        }
        guard !bytes.starts(with: [0xFF, 0xFE]), !bytes.starts(with: [0xFE, 0xFF]), !bytes.contains(0) else {
            throw failure("is not a text table in UTF-8; save it as \"CSV UTF-8\"")
        }
        let mark: [UInt8] = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? [0xEF, 0xBB, 0xBF] : []
        let text = Array(bytes.dropFirst(mark.count))
        delimiter = CSVReader(text).delimiter
        var splitter = CSVRowSplitter(delimiter: delimiter)
        let (found, length) = splitter.rows(in: text, isAtEnd: true)
        guard length == text.count else {
            throw failure("a row does not end; check for an unclosed quotation mark", row: splitter.line)
        }
        guard let first = found.first else { throw failure("is empty") }
        header = mark + first.bytes + first.ending
        var columns: [String: Int] = [:]
        do throws(CSVError) {
            for (index, name) in try first.fields(delimiter: delimiter).enumerated() {
                columns[name.trimmed.lowercased()] = columns[name.trimmed.lowercased()] ?? index
            }
        } catch {
            throw failure(error.reason, row: error.line)
        }
        self.columns = columns
        rows = found.dropFirst()
        guard columns["choice"] != nil, columns["story"] != nil || columns["source_id"] != nil else {
            throw failure(
                "has no columns choice and story; give a table that --review wrote, with its first line",
                row: first.line
            )
        }
    }

    mutating func nextRow() -> CSVRow? { rows.popFirst() }

    /// Returns a row; `nil` for an empty line.
    func read(_ row: CSVRow) throws(ImportProblem) -> ReviewedRow? {
        let fields: [String]
        do throws(CSVError) {
            fields = try row.fields(delimiter: delimiter)
        } catch {
            throw problem(row, nil, error.reason)
        }
        if fields.allSatisfy({ $0.trimmed.isEmpty }) { return nil }
        func value(_ column: String) -> String {
            guard let index = columns[column], index < fields.count else { return "" }
            return fields[index].trimmed
        }
        let choice = try choice(value, row)
        return ReviewedRow(
            line: row.line,
            story: StoryID(value("story").lowercased()),
            owner: UserID(value("owner")),
            source: ReviewTable.plain(value("source")),
            sourceID: ReviewTable.plain(value("source_id")),
            choice: choice,
            bytes: Array(row.bytes + row.ending)
        )
    }

    private func choice(_ value: (String) -> String, _ row: CSVRow) throws(ImportProblem) -> ReviewChoice {
        let text = ReviewTable.plain(value("choice"))
        if text.isEmpty { return .open }
        if ["none", "no", "-"].contains(text.lowercased()) { return .none }
        // A spreadsheet program may write 1 as 1.0.
        if let number = DecimalText.number(text), number == number.rounded(), abs(number) < 1_000 {
            return .candidate(try candidate(Int(number), value, row))
        }
        guard text.wholeMatch(of: /[0-9]+,[0-9]+/) == nil else {
            throw problem(
                row,
                "choice",
                "\"\(text.prefix(60))\" may be one number with a decimal comma; write \"latitude, longitude\" with points, such as "
                    + "33.75, -84.38"
            )
        }
        if case .coordinate(let coordinate) = TypedPosition.read(text) {
            try checkOrder(coordinate, value, row)
            return .position(coordinate)
        }
        throw problem(
            row,
            "choice",
            "\"\(ImportText.line(text).prefix(60))\" is not a choice; write the number of a candidate, "
                + "\"latitude, longitude\", or none, or leave it empty"
        )
    }

    /// Rejects a second choice for a story: which of them counts would depend on the order of the rows.
    mutating func checkOnce(_ read: ReviewedRow) throws(ImportProblem) {
        guard let story = read.story else { return }
        guard let line = chosen.updateValue(read.line, forKey: story) else { return }
        throw ImportProblem(
            file: fileName,
            row: read.line,
            field: "choice",
            severity: .error,
            message: "line \(line) has a choice for this story already; remove one of the two"
        )
    }

    /// Rejects a position that is far from all candidates and beside one of them with its values exchanged.
    private func checkOrder(
        _ position: Coordinate,
        _ value: (String) -> String,
        _ row: CSVRow
    ) throws(ImportProblem) {
        guard let exchanged = Coordinate(latitude: position.longitude, longitude: position.latitude) else { return }
        let candidates = (1...PlacingRules.candidates)
            .compactMap { number -> Coordinate? in
                guard let latitude = DecimalText.number(value("lat_\(number)")),
                    let longitude = DecimalText.number(value("lon_\(number)"))
                else { return nil }
                return Coordinate(latitude: latitude, longitude: longitude)
            }
        func nearest(_ place: Coordinate) -> Double? { candidates.map { GreatCircle.distance($0, place) }.min() }
        guard let far = nearest(position), let near = nearest(exchanged), far > 2_000_000, near < 200_000 else {
            return
        }
        throw problem(row, "choice", "the two values look exchanged; write the latitude first")
    }

    private func candidate(
        _ number: Int,
        _ value: (String) -> String,
        _ row: CSVRow
    ) throws(ImportProblem) -> PlaceCandidate {
        let known = (1...PlacingRules.candidates).filter { !value("lat_\($0)").isEmpty }
        guard known.contains(number) else {
            let numbers = known.map(String.init).joined(separator: ", ")
            throw problem(
                row,
                "choice",
                known.isEmpty
                    ? "\(number): this row has no candidates; write \"latitude, longitude\" or none"
                    : "there is no candidate \(number); choose \(numbers), or write \"latitude, longitude\" or none"
            )
        }
        let changed = "was changed; undo that, or write \"latitude, longitude\" into choice"
        guard let latitude = DecimalText.number(value("lat_\(number)")), (-90...90).contains(latitude) else {
            throw problem(row, "lat_\(number)", changed)
        }
        guard let longitude = DecimalText.number(value("lon_\(number)")), (-180...180).contains(longitude),
            let coordinate = Coordinate(latitude: latitude, longitude: longitude)
        else { throw problem(row, "lon_\(number)", changed) }
        guard let kind = PlaceKind.allCases.first(where: { $0.name == value("kind_\(number)") }) else {
            throw problem(row, "kind_\(number)", changed)
        }
        guard let metres = DecimalText.number(value("metres_\(number)")), (0...StoryLimits.accuracy).contains(metres)
        else { throw problem(row, "metres_\(number)", changed) }
        // Only an orientation, and no reason to reject the row.
        let confidence = DecimalText.number(value("confidence_\(number)")) ?? 0
        return PlaceCandidate(
            label: ReviewTable.plain(value("name_\(number)")),
            kind: kind,
            coordinate: coordinate,
            confidence: min(1, max(0, confidence)),
            radius: metres
        )
    }

    private func problem(_ row: CSVRow, _ field: String?, _ message: String) -> ImportProblem {
        ImportProblem(file: fileName, row: row.line, field: field, severity: .error, message: message)
    }
}
