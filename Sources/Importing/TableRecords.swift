import Formats

/// The rows of a table with a header.
struct TableRecords {
    /// The format, CSV or TSV, determined by the delimiter.
    let format: ImportFormat
    private let file: ImportFile
    private var reader: CSVReader
    /// The columns' names as in the file.
    private let header: [String]
    /// For every field, the columns that can provide it, the preferred one first.
    private let columns: [(field: ImportField, indices: [Int])]
    /// The columns' names and indices for digests, in an order independent of the file's.
    private let digestOrder: [(name: String, index: Int)]

    init(_ file: ImportFile) throws(ImportProblem) {
        self.file = file
        var reader = CSVReader(file.bytes, delimiter: file.format == .tsv ? UInt8(ascii: "\t") : nil)
        format = reader.delimiter == UInt8(ascii: "\t") ? .tsv : .csv
        guard let first = try TableRecords.record(&reader, file) else { throw file.error("the file is empty") }
        self.reader = reader
        header = first.fields.map(\.trimmed)
        if let (name, places) = TableRecords.repeated(header) {
            throw file.error(
                "the first line names the column \(name) twice, as columns \(places.0) and \(places.1); remove one or give "
                    + "it another name",
                row: first.line
            )
        }
        columns = TableRecords.columns(header)
        digestOrder = header.enumerated().map { (ImportField.normalized($0.element), $0.offset) }.sorted { $0 < $1 }
        guard columns.contains(where: { $0.field == .title }) else {
            let names = header.prefix(20).map { String($0.prefix(40)) }.joined(separator: ", ")
            throw file.error("no column is called title or name; the first line names: \(names)", row: first.line)
        }
    }

    private static func columns(_ header: [String]) -> [(field: ImportField, indices: [Int])] {
        var found: [ImportField: [(rank: Int, index: Int)]] = [:]
        for (index, name) in header.enumerated() {
            guard let (field, rank) = ImportField.named(name) else { continue }
            found[field, default: []].append((rank, index))
        }
        return ImportField.allCases.compactMap { field in
            found[field].map { (field, $0.sorted { $0 < $1 }.map(\.index)) }
        }
    }

    /// Returns the first known column name that occurs twice, and the positions of both columns, starting at one; `nil`
    /// if no known name is repeated.
    private static func repeated(_ header: [String]) -> (name: String, places: (Int, Int))? {
        var seen: [String: Int] = [:]
        for (index, name) in header.enumerated() where ImportField.named(name) != nil {
            let normalized = ImportField.normalized(name)
            if let first = seen[normalized] { return (String(name.prefix(40)), (first + 1, index + 1)) }
            seen[normalized] = index
        }
        return nil
    }

    var position: Int { reader.position }

    /// The columns that are not imported.
    var ignoredNames: [String] { header.filter { !$0.isEmpty && ImportField.named($0) == nil } }

    /// A remark listing the columns that are not imported.
    var remarks: [ImportProblem] {
        let ignored = ignoredNames
        guard !ignored.isEmpty else { return [] }
        let names = ignored.prefix(20).map { String($0.prefix(40)) }.joined(separator: ", ")
        let more = ignored.count > 20 ? " and \(ignored.count - 20) more" : ""
        return [file.warning("nothing was read from the column\(ignored.count == 1 ? "" : "s") \(names)\(more)")]
    }

    mutating func next() throws(ImportProblem) -> ImportRecord? {
        guard let line = try TableRecords.record(&reader, file) else { return nil }
        var record = ImportRecord(row: line.line)
        check(line, &record)
        for (field, indices) in columns {
            for index in indices where index < line.fields.count {
                let value = line.fields[index].trimmed
                if value.isEmpty { continue }
                record.values[field] = value
                break
            }
        }
        if record.values[.id] == nil { digest(line, &record) }
        return record
    }

    private func check(_ line: CSVRecord, _ record: inout ImportRecord) {
        if line.fields.count > header.count {
            let counts = "the row has \(line.fields.count) values, the first line names \(header.count) columns"
            record.fail(nil, counts + "; put values that contain commas in quotation marks")
        } else if line.fields.count < header.count {
            let missing = header[line.fields.count...].prefix(5).joined(separator: ", ")
            record.warn(nil, "the row ends early, without values for \(missing)")
        }
        if line.isRepaired {
            record.warn(nil, "bytes that are not UTF-8 were replaced; save the file as UTF-8 to keep them")
        }
    }

    private func digest(_ line: CSVRecord, _ record: inout ImportRecord) {
        for (name, index) in digestOrder where index < line.fields.count && !line.fields[index].isEmpty {
            record.digest.add(name)
            record.digest.add(line.fields[index])
        }
    }

    private static func record(_ reader: inout CSVReader, _ file: ImportFile) throws(ImportProblem) -> CSVRecord? {
        do throws(CSVError) {
            return try reader.next()
        } catch {
            throw file.error(error.reason, row: error.line)
        }
    }
}
