import Formats
import Stories

/// The columns or properties of a file, and what an import reads each as.
public struct ColumnSurvey: Sendable {
    /// One column or property.
    public struct Column: Hashable, Sendable {
        /// Its name as in the file.
        public let name: String
        /// The field it is read as, by the name that `--map` takes; `nil` if it is not read.
        public let field: String?
        /// Why it counts only sometimes, or is not read.
        public fileprivate(set) var note: String?
        /// The first value, on one line and shortened, or `nil` if the rows looked at have none.
        public let example: String?
    }

    /// The format of the file.
    public let format: ImportFormat
    /// The encoding for people, or `nil` if the format has its own.
    public let encoding: String?
    /// The columns in the order of the file, or the properties in that of their names.
    public let columns: [Column]
    /// Remarks on how the file was read.
    public let remarks: [ImportProblem]

    /// Looks at a file as an import with these options would.
    ///
    /// Values are looked for in the first 1,000 rows.
    /// - Throws: ``ImportProblem`` if the file cannot be read.
    public init(_ bytes: [UInt8], fileName: String, options: StoryImporter.Options) throws(ImportProblem) {
        let file = try ImportFile(
            bytes,
            name: fileName,
            limit: options.byteLimit,
            encoding: options.columns.encoding,
            databases: options.databases
        )
        var notes: [ImportProblem] = file.remarks
        encoding = file.encoding?.title
        var survey = Survey(plan: ColumnPlan(options.columns), today: options.today)
        if var source = try FeatureSource.opened(file, options: options) {
            notes += source.remarks(file)
            format = source.format
            columns = try survey.properties(of: &source, file)
        } else if file.format == .gpx {
            format = .gpx
            columns = ColumnSurvey.waypoint
        } else {
            format = file.format
            columns = try survey.columns(of: file)
        }
        remarks = notes
    }

    /// The elements of a waypoint that are read.
    private static let waypoint: [Column] = [
        ("name", "title", nil), ("desc", "text", nil), ("cmt", "text", "behind desc"), ("time", "date", nil),
        ("link", "media_url", "a picture is thumbnail_url, further links are in the text"),
        ("url", "media_url", "in GPX 1.0"), ("type", "kind", "tags where it is none"),
    ]
    .map { Column(name: $0.0, field: $0.1, note: $0.2, example: nil) }
}

/// Collects names and first values.
private struct Survey {
    let plan: ColumnPlan
    private var examples: [String: String] = [:]
    private let today: CalendarDay?
    private var guesses: [String: PrivacyGuess] = [:]
    private var count = 0

    private static let rows = 1_000
    private static let mostNames = 1_000

    init(plan: ColumnPlan, today: CalendarDay?) { (self.plan, self.today) = (plan, today) }

    mutating func columns(of file: ImportFile) throws(ImportProblem) -> [ColumnSurvey.Column] {
        let start = try TableHeader(in: file, plan)
        let header = start.record.fields.map(\.trimmed)
        let meanings = TableRecords.meanings(header, plan, GeocodedColumns.range(in: header))
        let names = header.enumerated().map { $1.isEmpty ? "column \($0 + 1)" : $1 }
        var reader = start.reader
        while count < Self.rows, let row = try TableRecords.record(&reader, file) {
            count += 1
            for (name, value) in zip(names, row.fields) { see(name, value) }
        }
        var described = described(Array(zip(names, meanings)))
        if let photos = PhotoTable.column(of: header, meanings) {
            described[photos].note = "the title where there is no caption"
        }
        for (index, note) in AngleColumns(in: header, meanings)?.columns ?? [] { described[index].note = note }
        return described
    }

    mutating func properties(
        of source: inout FeatureSource,
        _ file: ImportFile
    ) throws(ImportProblem) -> [ColumnSurvey.Column] {
        var names: Set<String> = []
        var added: String?
        while count < Self.rows, let feature = try source.next(file) {
            count += 1
            added = added ?? GeocodedColumns.name(in: feature.properties)
            for (name, value) in feature.properties.sorted(by: { $0.key < $1.key })
            where names.count < Self.mostNames || names.contains(name) {
                names.insert(name)
                // Our own exports put the place into an object that is read whole.
                see(name, value.plainText ?? value.array?.compactMap(\.plainText).joined(separator: "; ") ?? "")
            }
        }
        return described(names.sorted().map { ($0, GeocodedColumns.meaning(of: $0, added: added, plan)) })
    }

    private mutating func see(_ name: String, _ value: String) {
        let value = value.trimmed
        if examples[name] == nil, !value.isEmpty {
            examples[name] = ImportText.shortened(ImportText.line(value), limit: 40)
        }
        guesses[name, default: PrivacyGuess(column: name, on: today)].see(value)
    }

    private func described(_ columns: [(name: String, meaning: ColumnPlan.Meaning)]) -> [ColumnSurvey.Column] {
        var preferred: [ImportField: (rank: Int, name: String)] = [:]
        for (name, meaning) in columns {
            guard case .field(let field, let rank) = meaning else { continue }
            if rank < preferred[field]?.rank ?? Int.max { preferred[field] = (rank, name) }
        }
        let neighbours = ColumnNeighbours(columns.map(\.name))
        return columns.map { name, meaning in
            var (title, note): (String?, String?) = (nil, nil)
            switch meaning {
            case .field(let field, let rank):
                title = field.title
                if let first = preferred[field], first.rank < rank { note = "where \(first.name) is empty" }
                if field == .createdAt || field == .updatedAt { note = "with --keep-ids" }
            case .ignored: note = "ignored"
            case .unknown where name == "location" && examples[name] == nil: title = "place, precision and source"
            case .unknown:
                let guess = guesses[name] ?? PrivacyGuess(column: name, on: today)
                if guess.isLikely(rows: count, beside: neighbours) { note = "looks like a privacy setting" }
            }
            return ColumnSurvey.Column(name: name, field: title, note: note, example: examples[name])
        }
    }
}
