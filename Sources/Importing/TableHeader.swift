import Formats
import Stories

/// The record of a table that names its columns, and what stands above it.
///
/// Many spreadsheets begin with the title of the collection, the date of the list or an empty frame; the columns are named
/// below.
struct TableHeader {
    /// The names of the columns.
    let record: CSVRecord
    /// The records above it, which are not read.
    let above: [CSVRecord]
    /// The reader behind the header.
    let reader: CSVReader

    /// The number of records among which the header is looked for.
    private static let farthest = 20
    /// The maximum length in bytes of a column's name.
    private static let longestName = 1_000

    /// Finds the header: the first record, unless it names no title and a later one names a title and another field.
    ///
    /// - Throws: a problem of the whole file if it has no record, the names cannot be names, or two records name a title and
    ///   the later one at least as many fields: the first may be the title of the collection, above a column that restricts.
    init(in file: ImportFile, _ plan: ColumnPlan) throws(ImportProblem) {
        var reader = file.reader
        guard let first = try TableRecords.record(&reader, file) else { throw file.error("the file is empty") }
        let names = TableHeader.names(first, plan)
        if !names.contains(.title), let found = TableHeader.below(file, plan) {
            self = found
            return
        }
        if names.contains(.title), let other = TableHeader.search(reader, plan, atLeast: names.count) {
            let rows = [
                TableHeader.row(0, first, file), TableHeader.row(other.above.count + 1, other.record, file),
            ]
            throw file.error(
                "rows \(rows[0]) and \(rows[1]) both name columns; remove what stands above the names that are meant, and divide "
                    + "a file with several tables",
                row: rows[1]
            )
        }
        try TableHeader.checkNames(first, file)
        (record, above, self.reader) = (first, [], reader)
    }

    private init(_ record: CSVRecord, above: [CSVRecord], _ reader: CSVReader) {
        (self.record, self.above, self.reader) = (record, above, reader)
    }

    /// Returns the header below the first record, if there is one; the line of a title need not have the separator of the
    /// others.
    private static func below(_ file: ImportFile, _ plan: ColumnPlan) -> TableHeader? {
        if let found = search(file.reader, plan) { return found }
        guard file.rows == nil else { return nil }
        for delimiter in CSVReader.delimiters where delimiter != file.reader.delimiter {
            if let found = search(CSVReader(file.bytes, delimiter: delimiter), plan) { return found }
        }
        return nil
    }

    private static func search(_ start: CSVReader, _ plan: ColumnPlan, atLeast least: Int = 2) -> TableHeader? {
        var reader = start
        var above: [CSVRecord] = []
        while above.count <= farthest, let record = try? reader.next() {
            let names = names(record, plan)
            if names.contains(.title), names.count >= max(2, least),
                record.fields.allSatisfy({ $0.utf8.count <= longestName })
            {
                return TableHeader(record, above: above, reader)
            }
            above.append(record)
        }
        return nil
    }

    /// Returns the fields that a record would name as a header.
    private static func names(_ record: CSVRecord, _ plan: ColumnPlan) -> Set<ImportField> {
        var fields: Set<ImportField> = []
        for name in record.fields where name.utf8.count <= longestName {
            if case .field(let field, _) = plan.meaning(of: name.trimmed) { fields.insert(field) }
        }
        return fields
    }

    /// Refuses a first line that cannot be one of column names.
    private static func checkNames(_ first: CSVRecord, _ file: ImportFile) throws(ImportProblem) {
        let longest = first.fields.map(\.utf8.count).max() ?? 0
        guard longest <= longestName else {
            throw file.error(
                "the first line has a name of \(longest) bytes, more than \(longestName) bytes; it must be the names of the "
                    + "columns",
                row: first.line
            )
        }
    }
}

extension TableHeader {
    /// Refuses a table above which something seems to say who may see the stories.
    ///
    /// A restriction that ended before `today` is none.
    func checkAbove(_ file: ImportFile, on today: CalendarDay?) throws(ImportProblem) {
        if let sheet = file.sheet, PrivacyGuess.isAbout(sheet.name, on: today) {
            throw file.error(
                "the name of the sheet, \"\(ImportText.shortened(ImportText.line(sheet.name), limit: 40))\", looks like a privacy "
                    + "setting; give --privacy for the whole file, or rename the sheet if it means something else"
            )
        }
        if let note = file.sheet?.notes.first(where: { PrivacyGuess.isAbout($0.name, $0.value, on: today) }) {
            let value = ImportText.shortened(ImportText.line(note.value), limit: 60)
            throw file.error(
                "\"\(value)\" in \(note.name) looks like a privacy setting; give --privacy for the whole file, or remove it if it "
                    + "means something else"
            )
        }
        for (index, record) in above.enumerated() {
            for text in record.fields where PrivacyGuess.isAbout(text, on: today) {
                throw file.error(
                    "\"\(ImportText.shortened(ImportText.line(text), limit: 60))\" above the column names looks like a privacy "
                        + "setting; give --privacy for the whole file, or remove the line if it means something else",
                    row: TableHeader.row(index, record, file)
                )
            }
        }
    }

    /// The names right above the header, where there are several: those of another language, or in full.
    var namesAbove: [String] {
        guard let last = above.last?.fields.map(\.trimmed), last.count(where: { !$0.isEmpty }) > 1 else { return [] }
        return last
    }

    /// The row of the header in its file.
    func row(in file: ImportFile) -> Int { TableHeader.row(above.count, record, file) }

    /// A remark on the lines above the header; `nil` if there are none.
    func remark(_ file: ImportFile) -> ImportProblem? {
        guard let first = above.first else { return nil }
        let text = first.fields.map(\.trimmed).first { !$0.isEmpty } ?? ""
        let example = text.isEmpty ? "" : " (\"\(ImportText.shortened(ImportText.line(text), limit: 40))\")"
        return file.warning(
            "the column names stand in row \(TableHeader.row(above.count, record, file)); nothing was read from above it\(example)"
        )
    }

    /// Returns the row in the file of a record with this index.
    private static func row(_ index: Int, _ record: CSVRecord, _ file: ImportFile) -> Int {
        guard let rows = file.rows, rows.indices.contains(index) else { return record.line }
        return rows[index]
    }
}
