import Formats
import Foundation

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
