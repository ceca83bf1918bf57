import Formats
import Stories

/// The rows of a table with a header.
struct TableRecords {
    /// The format, determined by the delimiter unless the table was a spreadsheet.
    let format: ImportFormat
    private let file: ImportFile
    private var reader: CSVReader
    /// The number of records read, header included.
    private var count: Int
    /// The columns' names as in the file.
    private let header: [String]
    /// For every field, the columns that can provide it, the preferred one first.
    private let columns: [(field: ImportField, indices: [Int])]
    /// The columns' names and indices for digests, in an order independent of the file's.
    private let digestOrder: [(name: String, index: Int)]
    /// The columns that are not read and may say who sees what.
    private var guesses: [(index: Int, guess: PrivacyGuess)]
    private let unread: [String]
    /// The columns that together say the position.
    private let angles: AngleColumns?
    /// What to do about columns that seem to be positions and are not read.
    private let adviceOnPositions: String?
    /// The columns without a name, and whether they have values.
    private var unnamed: [Int: Bool]
    /// The column that says in every row who may see the story, so that an empty cell is an error.
    private let audience: ImportField?
    /// The column "When", of which only dates are read.
    private let dateWords: Int?
    /// The column `location`, and whether its values are places in a building.
    private var storage: (index: Int, guess: StorageGuess)?
    private let storageRemedy: @Sendable (String) -> String
    private let privacyIsGiven: Bool
    private let today: CalendarDay?
    private var rivals = RivalColumns()
    private var gaps = PrecisionGaps()
    /// The column of the kind of a place that `geocode --batch` found.
    private let geocodedKind: Int?
    /// The column of paths that are the titles, in a table of photographs without others.
    private let photos: Int?
    /// A remark on what stands above the header.
    private let remarkOnStart: ImportProblem?
    /// Whether a row with a single value may be a heading or a footer that restricts the other rows, and the first such
    /// row.
    private let watchesTitles: Bool
    private var heading: (row: Int, text: String)?

    init(_ file: ImportFile, options: StoryImporter.Options) throws(ImportProblem) {
        self.file = file
        storageRemedy = options.storageRemedy
        let plan = ColumnPlan(options.columns)
        let start = try TableHeader(in: file, plan)
        if !options.privacyIsGiven { try start.checkAbove(file, on: options.today) }
        (privacyIsGiven, today) = (options.privacyIsGiven, options.today)
        remarkOnStart = start.remark(file)
        try TableRecords.checkMerges(file, below: start.row(in: file))
        (reader, count) = (start.reader, start.above.count + 1)
        let isTable = file.format == .csv || file.format == .tsv
        format = isTable ? (reader.delimiter == UInt8(ascii: "\t") ? .tsv : .csv) : file.format
        let header = start.record.fields.map(\.trimmed)
        self.header = header
        let geocoded = GeocodedColumns.range(in: header)
        if let (name, places) = TableRecords.repeated(header, except: geocoded) {
            throw file.error(
                "the first line names the column \(name) twice, as columns \(places.0) and \(places.1); remove one or give "
                    + "it another name",
                row: start.record.line
            )
        }
        try TableRecords.check(plan, header, file, privacyIsGiven: options.privacyIsGiven)
        let meanings = TableRecords.meanings(header, plan, geocoded)
        columns = TableRecords.columns(meanings)
        geocodedKind = geocoded.isEmpty ? nil : geocoded.lowerBound + 1
        digestOrder = header.enumerated().map { (ImportField.normalized($0.element), $0.offset) }.sorted { $0 < $1 }
        let unknown = header.indices.filter { meanings[$0] == .unknown }
        angles = AngleColumns(in: header, meanings)
        let read = Set(angles?.columns.map(\.index) ?? [])
        unread = unknown.filter { !read.contains($0) }.map { header[$0] }.filter { !$0.isEmpty }
        adviceOnPositions = angles == nil ? ProjectedColumns.advice(on: header, meanings) : nil
        unnamed = Dictionary(uniqueKeysWithValues: unknown.filter { header[$0].isEmpty }.map { ($0, false) })
        let saysPrivacy = columns.contains { $0.field == .privacy || $0.field == .isPublic }
        let audience = columns.contains { $0.field == .privacy } ? ImportField.privacy : .isPublic
        self.audience = saysPrivacy && !options.privacyIsGiven ? audience : nil
        let isWatched = { !saysPrivacy || PrivacyGuess.isLeft(header[$0]) }
        dateWords = header.indices.first { DateWords.isLikely(header[$0], meanings[$0]) }
        let watched = options.watchesPrivacy ? (unknown + [dateWords].compactMap(\.self)).filter(isWatched) : []
        let above = start.namesAbove
        guesses = watched.map { index in
            let name = header[index] + (above.indices.contains(index) ? " " + above[index] : "")
            return (index, PrivacyGuess(column: name, on: options.today))
        }
        watchesTitles = !options.privacyIsGiven && columns.count > 1
        storage = StorageGuess.column(of: header, meanings).map { ($0, StorageGuess()) }
        photos = PhotoTable.column(of: header, meanings)
        if photos != nil, !saysPrivacy, let reason = PhotoTable.refusal(privacyIsGiven: options.privacyIsGiven) {
            throw file.error(reason)
        }
        guard photos != nil || columns.contains(where: { $0.field == .title }) else {
            throw file.error(TableRecords.untitled(header, file), row: start.record.line)
        }
    }

    /// Refuses a sheet whose rows share cells: only the first of them has the value, which may be a privacy.
    private static func checkMerges(_ file: ImportFile, below row: Int) throws(ImportProblem) {
        guard let merge = file.sheet?.merges.first(where: { $0.last > row }) else { return }
        throw file.error(
            "the cells \(merge.cells) are merged, so that only row \(merge.first) has their value; unmerge them, and write the value "
                + "into each row",
            row: merge.first
        )
    }

    /// Returns the meaning of each column.
    static func meanings(_ header: [String], _ plan: ColumnPlan, _ geocoded: Range<Int>) -> [ColumnPlan.Meaning] {
        header.indices.map { index in
            guard geocoded.contains(index) else { return plan.meaning(of: header[index]) }
            // The place's kind and the confidence are about the search, not about the story.
            guard index == geocoded.lowerBound else { return .ignored }
            return .field(.place, rank: -1)
        }
    }

    private static func check(
        _ plan: ColumnPlan,
        _ header: [String],
        _ file: ImportFile,
        privacyIsGiven: Bool
    ) throws(ImportProblem) {
        for name in header {
            if let problem = plan.exposure(by: name, privacyIsGiven: privacyIsGiven) { throw file.error(problem) }
        }
        let missing = plan.missing(in: header)
        guard let name = missing.mapped.first ?? missing.ignored.first else { return }
        let names = header.prefix(20).map { String($0.prefix(40)) }.joined(separator: ", ")
        throw file.error(
            "no column is called \(name.prefix(40)), as --map, --ignore or --geocode-column says; the first line names: \(names)"
        )
    }

    /// Returns the error for a header without a column for the title.
    private static func untitled(_ header: [String], _ file: ImportFile) -> String {
        func list(_ names: [String]) -> String {
            names.prefix(20).map { String($0.prefix(40)) }.joined(separator: ", ")
        }
        guard let sheet = file.sheet, !sheet.others.isEmpty else {
            return "no column is called title or name; the first line names: \(list(header)). Give --map title=COLUMN"
        }
        return
            "no column is called title or name in the first sheet, \(list([sheet.name])); its first line names: "
            + "\(list(header)). Move the sheet with the stories to the front (the others are \(list(sheet.others))), or give "
            + "--map title=COLUMN"
    }

    private static func columns(_ meanings: [ColumnPlan.Meaning]) -> [(field: ImportField, indices: [Int])] {
        var found: [ImportField: [(rank: Int, index: Int)]] = [:]
        for (index, meaning) in meanings.enumerated() {
            guard case .field(let field, let rank) = meaning else { continue }
            found[field, default: []].append((rank, index))
        }
        return ImportField.allCases.compactMap { field in
            found[field].map { (field, $0.sorted { $0 < $1 }.map(\.index)) }
        }
    }

    /// Returns the first known column name that occurs twice, and the positions of both columns, starting at one; `nil`
    /// if no known name is repeated.
    private static func repeated(_ header: [String], except added: Range<Int>) -> (name: String, places: (Int, Int))? {
        var seen: [String: Int] = [:]
        for (index, name) in header.enumerated() where !added.contains(index) && ImportField.named(name) != nil {
            let normalized = ImportField.normalized(name)
            if let first = seen[normalized] { return (String(name.prefix(40)), (first + 1, index + 1)) }
            seen[normalized] = index
        }
        return nil
    }

    var position: Int { reader.position }

    /// The columns that are not read and seem to say who may see a story.
    var privateColumns: [String] {
        privateIndices.map { header[$0].isEmpty ? "column \($0 + 1), which has no name," : header[$0] }
    }

    private var privateIndices: [Int] {
        let neighbours = ColumnNeighbours(header)
        return guesses.filter { $0.guess.isLikely(beside: neighbours) }.map(\.index)
    }

    /// Checks, after the last row, that no column without a name seems to say who may see a story, and that no column of
    /// places says where objects are kept.
    ///
    /// - Throws: a problem of the whole file.
    func checkAll() throws(ImportProblem) {
        if let heading {
            throw file.error(
                "\"\(ImportText.shortened(ImportText.line(heading.text), limit: 60))\" stands alone in its row and looks like a "
                    + "privacy setting; give --privacy for the whole file, or remove the row",
                row: heading.row
            )
        }
        if let storage, storage.guess.isLikely {
            let name = header[storage.index].prefix(40)
            throw file.error(
                "\(name) looks like the place where objects are kept (\(storage.guess.example)) and would be shown with the "
                    + "stories; \(storageRemedy(header[storage.index]))"
            )
        }
        guard !privacyIsGiven, let index = privateIndices.first(where: { header[$0].isEmpty }) else { return }
        throw file.error(
            "column \(index + 1) has no name, and its values look like a privacy setting; give it the name privacy if they are "
                + "public, family_only and private, or another name"
        )
    }

    /// Remarks on what stands above the header, and on the columns that are not imported.
    var remarks: [ImportProblem] {
        [remarkOnStart].compactMap(\.self) + remarksOnColumns
            + [adviceOnPositions.map { file.warning($0) }, rivals.remark(file), gaps.remark(file)].compactMap(\.self)
    }

    private var remarksOnColumns: [ImportProblem] {
        let numbers = unnamed.filter(\.value).keys.sorted().map { "\($0 + 1)" }
        guard !numbers.isEmpty else { return remarksOnNamed }
        let names =
            numbers.prefix(20).joined(separator: ", ") + (numbers.count > 20 ? " and \(numbers.count - 20) more" : "")
        let what =
            numbers.count == 1 ? "column \(names), which has no name" : "the columns \(names), which have no names"
        return remarksOnNamed + [file.warning("nothing was read from " + what)]
    }

    private var remarksOnNamed: [ImportProblem] {
        guard !unread.isEmpty else { return [] }
        let names = unread.prefix(20).map { String($0.prefix(40)) }.joined(separator: ", ")
        let more = unread.count > 20 ? " and \(unread.count - 20) more" : ""
        return [file.warning("nothing was read from the column\(unread.count == 1 ? "" : "s") \(names)\(more)")]
    }

    mutating func next() throws(ImportProblem) -> ImportRecord? {
        guard let line = try nextLine() else { return nil }
        var record = ImportRecord(row: file.rows.map { count < $0.count ? $0[count] : line.line } ?? line.line)
        count += 1
        record.audience = audience
        check(line, &record)
        for (field, indices) in columns {
            for (place, index) in indices.enumerated() where index < line.fields.count {
                let value = line.fields[index].trimmed
                if value.isEmpty || SheetRemnant.isError(value, of: field, &record) { continue }
                if index == dateWords, DateWords.isLeft(value, under: header[index], &record) { continue }
                record.values[field] = value
                for other in indices[(place + 1)...] where other < line.fields.count {
                    rivals.note(header[other], line.fields[other].trimmed, besides: header[index], value, as: field)
                }
                break
            }
        }
        angles?.fill(&record, from: line.fields)
        if let photos, photos < line.fields.count {
            PhotoTable.fillTitle(of: &record, path: line.fields[photos].trimmed)
        }
        SheetRemnant.warnOfTotals(&record)
        if watchesTitles, heading == nil, record.values.count == 1, let text = record.values.first?.value,
            line.fields.count(where: { !$0.trimmed.isEmpty }) == 1, RowPrivacy.marksAlone(text, on: today)
        {
            heading = (record.row, text)
        }
        // Our own exports, made a table by GDAL: how exactly a place is shown stands in its JSON.
        if let text = record.values[.place], let place = ImportRecord.place(.string(text)) {
            record.values[.place] = nil
            record.fill(fromLocation: place)
        }
        if let geocodedKind, geocodedKind < line.fields.count {
            GeocodedColumns.limit(&record, to: line.fields[geocodedKind].trimmed)
        }
        gaps.see(record)
        if let text = record.values[.places], !record.fill(places: .string(text)) {
            record.warn(.places, "is not a list of places in JSON, as exports write it, and is ignored")
        }
        for (index, hasValues) in unnamed where !hasValues && index < line.fields.count {
            if !line.fields[index].trimmed.isEmpty { unnamed[index] = true }
        }
        for at in guesses.indices {
            let index = guesses[at].index
            guesses[at].guess.see(index < line.fields.count ? line.fields[index].trimmed : "")
        }
        if let index = storage?.index, index < line.fields.count { storage?.guess.see(line.fields[index].trimmed) }
        if record.values[.id] == nil { digest(line, &record) }
        return record
    }

    /// Returns the next line with a value; spreadsheets leave lines of separators behind.
    private mutating func nextLine() throws(ImportProblem) -> CSVRecord? {
        while let line = try TableRecords.record(&reader, file) {
            if line.fields.contains(where: { !$0.trimmed.isEmpty }) { return line }
            count += 1
        }
        return nil
    }

    private func check(_ line: CSVRecord, _ record: inout ImportRecord) {
        if line.fields.count > header.count {
            let counts = "the row has \(line.fields.count) values, the first line names \(header.count) columns"
            let remedy =
                file.rows == nil ? "put values that contain commas in quotation marks" : "name the columns beyond them"
            record.fail(nil, counts + "; " + remedy)
        } else if line.fields.count < header.count, file.rows == nil {
            let missing = header[line.fields.count...].prefix(5).joined(separator: ", ")
            record.warn(nil, "the row ends early, without values for \(missing)")
        }
        if line.isRepaired {
            let problem = "the row has bytes that are not UTF-8; correct them, or give --encoding for the whole file"
            record.fail(nil, problem)
        }
    }

    private func digest(_ line: CSVRecord, _ record: inout ImportRecord) {
        for (name, index) in digestOrder where index < line.fields.count && !line.fields[index].isEmpty {
            record.digest.add(name)
            record.digest.add(line.fields[index])
        }
    }

    /// Returns the next record of a table, or `nil` at its end.
    static func record(_ reader: inout CSVReader, _ file: ImportFile) throws(ImportProblem) -> CSVRecord? {
        let record: CSVRecord?
        do throws(CSVError) {
            record = try reader.next()
        } catch {
            throw file.error(error.reason, row: error.line)
        }
        guard let record, let longest = record.fields.map(\.utf8.count).max(), longest > longestField else {
            return record
        }
        throw file.error(
            "a field has \(longest) bytes, more than \(longestField); look for a quotation mark that is not closed",
            row: record.line
        )
    }

    /// The maximum length of a field in bytes, well above that of a story's text.
    ///
    /// What is longer was not meant as one field, and would keep the import busy with every rule for its characters.
    private static let longestField = 4_000_000
}
