import Formats
import Foundation

/// Where the rows go: standard output, or a file that may hold what an earlier run has written.
///
/// What the file holds is compared with the rows of the input, as they come by: an answer of another table never stands
/// in it.
struct BatchSink {
    private let file: FileHandle?
    private let path: String
    private let input: String
    /// What is left of the rows that were there before, and where the last one that was compared ends.
    private var before: TableRows?
    private var rows: ArraySlice<CSVRow> = []
    private var end: Int

    /// Opens the file, or standard output without one.
    ///
    /// - Throws: ``CommandFailure`` when it cannot be written or holds something else than rows under `header`.
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
                throw CommandFailure.usage("\(path) cannot be written.")
            }
        }
        guard let file = FileHandle(forUpdatingAtPath: path) else {
            throw CommandFailure.usage("\(path) cannot be written.")
        }
        self.file = file
        let start = [UInt8](try file.read(upToCount: header.count) ?? Data())
        guard header.starts(with: start) else {
            throw CommandFailure.usage("\(path) holds something else; give another file with --output.")
        }
        if start.count == header.count {
            before = try TableRows(path: path)
        } else {
            // Not even the header was finished.
            try file.truncate(atOffset: 0)
            try write(header)
        }
    }

    /// Takes the row that answers an input row, if the file holds it whole.
    ///
    /// - Returns: the row, or `nil` behind the last one; from then on rows are to be written.
    /// - Throws: ``CommandFailure`` when it answers another row.
    mutating func answered(_ row: CSVRow, delimiter: UInt8) throws -> CSVRow? {
        guard before != nil else { return nil }
        if rows.isEmpty { rows = try before?.next()?[...] ?? [] }
        guard let old = rows.popFirst(), !old.ending.isEmpty else {
            try goOn()
            return nil
        }
        guard old.bytes.starts(with: row.bytes + [delimiter]) else {
            throw CommandFailure.usage(
                "\(path):\(old.line): This row does not answer \(input):\(row.line). Give another file with --output."
            )
        }
        end += old.bytes.count + old.ending.count
        return old
    }

    /// Makes sure that the file holds no more rows than the input.
    mutating func finish() throws {
        guard before != nil else { return }
        if rows.isEmpty { rows = try before?.next()?[...] ?? [] }
        guard rows.first?.ending.isEmpty ?? true else {
            throw CommandFailure.usage("\(path) holds more rows than \(input). Give another file with --output.")
        }
        try goOn()
    }

    /// Says that the file holds an answer that would not be given now.
    func refuse(_ old: CSVRow) -> CommandFailure {
        .usage(
            "\(path):\(old.line): This row was answered with other options or other place names. "
                + "Run the command as it was run before, or give another file with --output."
        )
    }

    /// Cuts off a row that was not finished; what follows is written behind the rest.
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
