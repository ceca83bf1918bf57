import Formats
import Foundation
import Gazetteer
import Geometry

/// Finds a place for every row of a CSV file, on all cores, and writes the rows in their order.
struct GeocodeBatch: Sendable {
    let input: String
    let column: String
    let output: String?
    let options: SearchOptions

    /// What was done.
    struct Counts: Sendable {
        var rows = 0
        var found = 0
    }

    private static let added = ["lat", "lon", "name", "kind", "confidence"]

    /// Reads, finds and writes, some thousand rows at a time.
    ///
    /// - Throws: ``CommandFailure`` when a file cannot be read or written, or the table is not as expected.
    func run(_ index: PlaceSearch, bar: ProgressBar) async throws -> Counts {
        guard let file = FileHandle(forReadingAtPath: input) else {
            throw CommandFailure.usage("\(input) cannot be read.")
        }
        defer { try? file.close() }
        var rows = CSVBlocks(file: file, name: input)
        guard let header = try rows.header() else { throw CommandFailure.usage("\(input) is empty.") }
        guard let column = header.firstIndex(of: column) else {
            throw CommandFailure.usage(
                "\(input) has no column \(self.column); its columns are \(header.joined(separator: ", "))."
            )
        }
        let sink = try BatchSink(path: output, header: header + Self.added)
        defer { sink.close() }
        var left = sink.rowsBefore
        var counts = Counts()
        let total = (try? FileManager.default.attributesOfItem(atPath: input)[.size] as? Int) ?? 0
        while let block = try rows.next() {
            var records = block[...]
            let skipped = min(left, records.count)
            records = records.dropFirst(skipped)
            left -= skipped
            guard !records.isEmpty else { continue }
            counts.rows += records.count
            for part in await answer(Array(records), column, header.count, index) {
                try sink.write(part.bytes)
                counts.found += part.found
            }
            bar.show(done: rows.position, of: total, count: counts.rows, unit: "rows")
        }
        bar.end()
        return counts
    }

    private typealias Part = (bytes: [UInt8], found: Int)

    /// Answers some rows, each core a part of them.
    private func answer(_ rows: [[String]], _ column: Int, _ width: Int, _ index: PlaceSearch) async -> [Part] {
        let cores = max(1, ProcessInfo.processInfo.activeProcessorCount)
        let size = max(64, (rows.count + cores - 1) / cores)
        return await withTaskGroup(of: (Int, Part).self) { group in
            for (number, start) in stride(from: 0, to: rows.count, by: size).enumerated() {
                let part = rows[start..<min(rows.count, start + size)]
                group.addTask { (number, answer(part, column, width, index)) }
            }
            var parts: [(Int, Part)] = []
            for await part in group { parts.append(part) }
            return parts.sorted { $0.0 < $1.0 }.map(\.1)
        }
    }

    private func answer(_ rows: ArraySlice<[String]>, _ column: Int, _ width: Int, _ index: PlaceSearch) -> Part {
        var options = options
        options.limit = 1
        var part: Part = ([], 0)
        for row in rows {
            let text = column < row.count ? row[column] : ""
            // Rows that are too short or too long get as many fields as the header has.
            var fields = Array(row.prefix(width)) + [String](repeating: "", count: max(0, width - row.count))
            if let match = index.search(text, options: options).first {
                let confidence = (match.confidence * 1_000).rounded() / 1_000
                fields += [
                    Self.degrees(match.coordinate.latitude), Self.degrees(match.coordinate.longitude), match.label,
                    match.kind.name, "\(confidence)",
                ]
                part.found += 1
            } else {
                fields += [String](repeating: "", count: Self.added.count)
            }
            part.bytes += CSVWriter.row(fields)
        }
        return part
    }

    private static func degrees(_ value: Double) -> String { "\((value * 1e6).rounded() / 1e6)" }
}

/// Reads a CSV file in blocks of whole rows, however large it is.
struct CSVBlocks {
    private let file: FileHandle
    private let name: String
    /// The bytes read so far.
    private(set) var position = 0
    private var rest: [UInt8] = []
    private var isAtEnd = false
    private var delimiter: UInt8?
    private var pending: [[String]] = []

    private static let blockLength = 1 << 20
    private static let longestRow = 64 << 20

    init(file: FileHandle, name: String) {
        self.file = file
        self.name = name
    }

    /// The first row.
    mutating func header() throws -> [String]? {
        guard let block = try next(), let header = block.first else { return nil }
        pending = Array(block.dropFirst())
        return header
    }

    /// The next rows, or `nil` at the end.
    mutating func next() throws -> [[String]]? {
        if !pending.isEmpty {
            defer { pending = [] }
            return pending
        }
        while !isAtEnd {
            let data = try file.read(upToCount: Self.blockLength) ?? Data()
            position += data.count
            isAtEnd = data.isEmpty
            rest += data
            let end = isAtEnd ? rest.count : Self.lastRowEnd(rest)
            guard end > 0 else {
                guard rest.count < Self.longestRow else {
                    throw CommandFailure.usage("\(name) has a row without an end.")
                }
                continue
            }
            let rows = try parse(Array(rest[..<end]))
            rest.removeFirst(end)
            if !rows.isEmpty { return rows }
        }
        return nil
    }

    private mutating func parse(_ bytes: [UInt8]) throws -> [[String]] {
        var reader = CSVReader(bytes, delimiter: delimiter)
        delimiter = reader.delimiter
        var rows: [[String]] = []
        do {
            while let record = try reader.next() { rows.append(record.fields) }
        } catch {
            throw CommandFailure.usage("\(name): \(error.reason).")
        }
        return rows
    }

    /// Where the last row that ends in these bytes ends: behind a line break outside of quotation marks.
    private static func lastRowEnd(_ bytes: [UInt8]) -> Int {
        var end = 0
        var isQuoted = false
        for (index, byte) in bytes.enumerated() {
            if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
            if byte == UInt8(ascii: "\n"), !isQuoted { end = index + 1 }
        }
        return end
    }
}

/// Where the rows go: standard output, or a file that may hold what an earlier run has written.
struct BatchSink {
    private let file: FileHandle?
    private let path: String
    /// The rows, besides the header, that were there before.
    let rowsBefore: Int

    /// Opens the file and cuts off a row that was not finished.
    init(path: String?, header: [String]) throws {
        guard let path else {
            (file, self.path, rowsBefore) = (nil, "", 0)
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
        let (rows, end) = try Self.written(file, header: CSVWriter.row(header), path)
        try file.truncate(atOffset: UInt64(end))
        try file.seekToEnd()
        if end == 0 { try file.write(contentsOf: Data(CSVWriter.row(header))) }
        rowsBefore = rows
    }

    /// The whole rows behind the header, and where the last of them ends.
    private static func written(_ file: FileHandle, header: [UInt8], _ path: String) throws -> (rows: Int, end: Int) {
        var (rows, end, position) = (-1, 0, 0)
        var isQuoted = false
        while let data = try file.read(upToCount: 1 << 20), !data.isEmpty {
            if position == 0, !data.starts(with: header.prefix(data.count)) {
                throw CommandFailure.usage("\(path) holds something else; give another file with --output.")
            }
            for byte in data {
                position += 1
                if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
                if byte == UInt8(ascii: "\n"), !isQuoted { (rows, end) = (rows + 1, position) }
            }
        }
        return (max(0, rows), end)
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
