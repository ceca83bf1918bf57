import Formats
import Foundation

/// Where the rows go: standard output, or a file that may hold what an earlier run has written.
struct BatchSink {
    private let file: FileHandle?
    private let path: String
    /// The rows, besides the header, that were there before.
    let rowsBefore: Int
    /// The last of them.
    let lastRow: [UInt8]?

    /// Opens the file and cuts off a row that was not finished.
    init(path: String?, header: [String]) throws {
        guard let path else {
            (file, self.path, rowsBefore, lastRow) = (nil, "", 0, nil)
            Console.write(CSVWriter.row(header))
            return
        }
        self.path = path
        if !FileManager.default.fileExists(atPath: path) {
            guard FileManager.default.createFile(atPath: path, contents: nil) else {
                throw CommandFailure.usage("\(path) cannot be written.")
            }
        }
        guard let file = FileHandle(forUpdatingAtPath: path) else {
            throw CommandFailure.usage("\(path) cannot be written.")
        }
        self.file = file
        let (rows, end, last) = try Self.written(file, header: CSVWriter.row(header), path)
        try file.truncate(atOffset: UInt64(end))
        try file.seekToEnd()
        if end == 0 { try file.write(contentsOf: Data(CSVWriter.row(header))) }
        rowsBefore = rows
        lastRow = rows > 0 ? last : nil
    }

    /// The whole rows behind the header, and where the last of them ends.
    private static func written(
        _ file: FileHandle,
        header: [UInt8],
        _ path: String
    ) throws -> (
        rows: Int, end: Int, last: [UInt8]
    ) {
        var (rows, end, position) = (-1, 0, 0)
        var (last, row): ([UInt8], [UInt8]) = ([], [])
        var isQuoted = false
        while let data = try file.read(upToCount: 1 << 20), !data.isEmpty {
            if position == 0, !data.starts(with: header.prefix(data.count)) {
                throw CommandFailure.usage("\(path) holds something else; give another file with --output.")
            }
            for byte in data {
                position += 1
                row.append(byte)
                if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
                if byte == UInt8(ascii: "\n"), !isQuoted {
                    (rows, end, last) = (rows + 1, position, row)
                    row.removeAll(keepingCapacity: true)
                }
            }
        }
        return (max(0, rows), end, last)
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

    func close() { try? file?.close() }
}
