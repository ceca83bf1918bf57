import Formats
import Foundation

/// Reads a table of delimited values of any size in blocks of whole rows; the file may be compressed with gzip.
struct TableRows {
    /// The delimiter: the most frequent one in the first row.
    private(set) var delimiter: UInt8
    /// The first row, as in the file.
    private(set) var header: CSVRow
    /// The names of the columns.
    private(set) var columns: [String]
    /// The number of bytes of the file read so far.
    private(set) var position = 0

    private let name: String
    private let file: FileHandle
    /// The bytes by which its compression was seen; standard input cannot be read twice.
    private var start: Data
    private let decoder: GzipDecoder?
    private var splitter: CSVRowSplitter
    private var rest: [UInt8] = []
    private var isAtEnd = false
    private var pending: [CSVRow] = []

    private static let blockLength = 1 << 20
    /// The number of compressed bytes unpacked at once.
    ///
    /// Gzip compresses at most about a thousandfold, so the output of such a piece is never too large.
    private static let packedLength = 1 << 14
    private static let longestRow = 64 << 20

    private static func emptiness(of name: String) -> String {
        "\(name) is empty; give a table whose first line names its columns."
    }

    /// Opens a table, or standard input for ``standardStream``, and reads its header.
    ///
    /// - Throws: ``CommandFailure`` if it cannot be read, is empty or is not a table.
    init(path: String) throws {
        let isStandard = path == standardStream
        guard let file = isStandard ? FileHandle.standardInput : FileHandle(forReadingAtPath: path) else {
            throw CommandFailure.usage("\(path) cannot be read; check the path and its permissions.")
        }
        let beginning = try file.read(upToCount: 2) ?? Data()
        start = beginning
        self.file = file
        name = isStandard ? "standard-input" : path
        decoder = Gzip.isGzip(beginning) ? try GzipDecoder(limit: .max) : nil
        splitter = CSVRowSplitter(delimiter: 0)
        (delimiter, columns) = (0, [])
        header = CSVRow(line: 1, bytes: [], ending: [])
        try fill()
        guard !rest.isEmpty else { throw CommandFailure.usage(TableRows.emptiness(of: name)) }
        guard !rest.contains(0) else {
            throw CommandFailure.usage("\(name) is not a text table in UTF-8; save it as CSV in UTF-8 and try again.")
        }
        delimiter = CSVReader(rest).delimiter
        splitter = CSVRowSplitter(delimiter: delimiter)
        guard let rows = try next(), let first = rows.first else {
            throw CommandFailure.usage(TableRows.emptiness(of: name))
        }
        header = first
        pending = Array(rows.dropFirst())
        columns = try fields(of: first)
    }

    /// Returns the values of a row.
    ///
    /// - Throws: ``CommandFailure`` naming the file and the row if its quotation marks or its UTF-8 are invalid.
    func fields(of row: CSVRow) throws -> [String] { try row.fields(of: name, delimiter: delimiter) }

    /// Returns the next rows, or `nil` at the end.
    ///
    /// - Throws: ``CommandFailure`` if the file cannot be decompressed or a row does not end.
    mutating func next() throws -> [CSVRow]? {
        if !pending.isEmpty {
            defer { pending = [] }
            return pending
        }
        while !rest.isEmpty || !isAtEnd {
            let (rows, length) = splitter.rows(in: rest, isAtEnd: isAtEnd)
            rest.removeFirst(length)
            if !rows.isEmpty { return rows }
            guard rest.count < Self.longestRow else {
                throw CommandFailure.usage(
                    "\(name):\(splitter.line): This row does not end; check for an unclosed quotation mark."
                )
            }
            try fill()
        }
        return nil
    }

    /// Closes the file.
    func close() { try? file.close() }

    /// Reads another block.
    private mutating func fill() throws {
        let wanted = rest.count + Self.blockLength
        while rest.count < wanted, !isAtEnd {
            var data = start
            start = Data()
            if data.isEmpty {
                data = try file.read(upToCount: decoder == nil ? Self.blockLength : Self.packedLength) ?? Data()
            }
            position += data.count
            isAtEnd = data.isEmpty
            guard let decoder else {
                rest += data
                continue
            }
            do {
                if isAtEnd { try decoder.finish() } else { try decoder.decode([UInt8](data), into: &rest) }
            } catch {
                throw CommandFailure.usage("\(name) cannot be unpacked: \(error).")
            }
        }
    }
}

extension CSVRow {
    /// Returns the values of a row, or throws an error that names the file and the row.
    func fields(of file: String, delimiter: UInt8) throws -> [String] {
        guard String(validating: bytes, as: UTF8.self) != nil else {
            throw CommandFailure.usage(
                "\(file):\(line): The row has bytes that are not UTF-8. Save the table as CSV in UTF-8 and try again."
            )
        }
        do {
            return try fields(delimiter: delimiter)
        } catch {
            throw CommandFailure.usage("\(file):\(error.line): \(error.reason).")
        }
    }
}
