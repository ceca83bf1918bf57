import Formats
import Foundation

/// The destination of the rows: standard output, or a file that may contain the output of an earlier run.
///
/// The rows in the file are compared with the input rows one by one, so that results for different tables are never
/// mixed.
struct BatchSink {
    private let file: FileHandle?
    private let path: String
    private let input: String
    /// The reader of the earlier run's rows, the rows not yet compared, and the offset of the end of the last compared
    /// row.
    private var before: TableRows?
    private var rows: ArraySlice<CSVRow> = []
    private var end: Int

    /// Opens the file at `path`, or standard output if it is `nil`.
    ///
    /// - Throws: ``CommandFailure`` if the file cannot be written or contains anything other than rows under `header`.
    init(path: String?, header: [UInt8], of input: String) throws {
        self.input = input
        self.path = path ?? ""
        end = header.count
        guard let path else {
            file = nil
            Console.write(header)
            return
        }
        if !FileManager.default.fileExists(atPath: path) {
            guard FileManager.default.createFile(atPath: path, contents: nil) else {
                throw CommandFailure.usage("\(path) cannot be created; check that its folder exists and is writable.")
            }
        }
        guard let file = FileHandle(forUpdatingAtPath: path) else {
            throw CommandFailure.usage("\(path) cannot be opened for writing; check its permissions.")
        }
        self.file = file
        let start = [UInt8](try file.read(upToCount: header.count) ?? Data())
        guard header.starts(with: start) else {
            throw CommandFailure.usage("\(path) already contains other data; give another file with --output.")
        }
        if start.count == header.count {
            before = try TableRows(path: path)
        } else {
            // The file ended within its header.
            try file.truncate(atOffset: 0)
            try write(header)
        }
    }

    /// Takes the row with the result for an input row, if the file contains it completely.
    ///
    /// - Returns: the row, or `nil` if the file contains no more rows; the caller must then write the rest.
    /// - Throws: ``CommandFailure`` if the result is for a different row.
    mutating func answered(_ row: CSVRow, delimiter: UInt8) throws -> CSVRow? {
        guard before != nil else { return nil }
        if rows.isEmpty { rows = try before?.next()?[...] ?? [] }
        guard let old = rows.popFirst(), !old.ending.isEmpty else {
            try goOn()
            return nil
        }
        guard old.bytes.starts(with: row.bytes + [delimiter]) else {
            throw CommandFailure.usage(
                "\(path):\(old.line): This row is not the result for \(input):\(row.line). "
                    + "Give another file with --output."
            )
        }
        end += old.bytes.count + old.ending.count
        return old
    }

    /// Checks that the file contains no more rows than the input.
    mutating func finish() throws {
        guard before != nil else { return }
        if rows.isEmpty { rows = try before?.next()?[...] ?? [] }
        guard rows.first?.ending.isEmpty ?? true else {
            throw CommandFailure.usage("\(path) has more rows than \(input). Give another file with --output.")
        }
        try goOn()
    }

    /// Creates the error for a result in the file that differs from the current one.
    func refuse(_ old: CSVRow) -> CommandFailure {
        .usage(
            "\(path):\(old.line): This row was written with other options or another gazetteer. "
                + "Use the same options and gazetteer as before, or give another file with --output."
        )
    }

    /// Truncates an incomplete last row, so that new rows can be appended after the complete ones.
    private mutating func goOn() throws {
        before?.close()
        before = nil
        try file?.truncate(atOffset: UInt64(end))
        try file?.seekToEnd()
    }

    /// Writes whole rows.
    func write(_ bytes: [UInt8]) throws {
        guard let file else { return Console.write(bytes) }
        do {
            try file.write(contentsOf: Data(bytes))
        } catch {
            throw CommandFailure.failed("\(path) cannot be written; free some space and run the command again.")
        }
    }

    func close() {
        before?.close()
        try? file?.close()
    }
}
