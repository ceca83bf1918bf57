import Formats
import Foundation
import Gazetteer
import Geometry

/// Names the position of every row of a CSV file, on all cores, and writes the rows in their order.
struct ReverseBatch: Sendable {
    let input: String
    /// The columns of latitude and longitude.
    let columns: [String]
    let output: String?

    /// What was done.
    struct Counts: Sendable {
        var rows = 0
        var found = 0
    }

    private static let added = [
        "label", "neighbourhood", "place", "county", "region", "country_code", "postcode", "water",
    ]

    /// Reads, names and writes, some thousand rows at a time.
    ///
    /// - Throws: ``CommandFailure`` when a file cannot be read or written, or the table is not as expected.
    func run(_ index: GazetteerIndex, bar: ProgressBar) async throws -> Counts {
        guard let file = FileHandle(forReadingAtPath: input) else {
            throw CommandFailure.usage("\(input) cannot be read.")
        }
        defer { try? file.close() }
        var rows = CSVBlocks(file: file, name: input)
        guard let header = try rows.header() else { throw CommandFailure.usage("\(input) is empty.") }
        let numbers = try columns.map { column in
            guard let number = header.firstIndex(of: column) else {
                throw CommandFailure.usage(
                    "\(input) has no column \(column); its columns are \(header.joined(separator: ", "))."
                )
            }
            return number
        }
        let sink = try BatchSink(path: output, header: header + Self.added)
        defer { sink.close() }
        var left = sink.rowsBefore
        var counts = Counts()
        let total = (try? FileManager.default.attributesOfItem(atPath: input)[.size] as? Int) ?? 0
        while let block = try rows.next() {
            let records = block.dropFirst(min(left, block.count))
            left -= block.count - records.count
            guard !records.isEmpty else { continue }
            counts.rows += records.count
            for part in await name(Array(records), numbers, header.count, index) {
                try sink.write(part.bytes)
                counts.found += part.found
            }
            bar.show(done: rows.position, of: total, count: counts.rows, unit: "rows")
        }
        bar.end()
        return counts
    }

    private typealias Part = (bytes: [UInt8], found: Int)

    /// Names some rows, each core a part of them.
    private func name(_ rows: [[String]], _ columns: [Int], _ width: Int, _ index: GazetteerIndex) async -> [Part] {
        let cores = max(1, ProcessInfo.processInfo.activeProcessorCount)
        let size = max(256, (rows.count + cores - 1) / cores)
        return await withTaskGroup(of: (Int, Part).self) { group in
            for (number, start) in stride(from: 0, to: rows.count, by: size).enumerated() {
                let part = rows[start..<min(rows.count, start + size)]
                group.addTask { (number, name(part, columns, width, index)) }
            }
            var parts: [(Int, Part)] = []
            for await part in group { parts.append(part) }
            return parts.sorted { $0.0 < $1.0 }.map(\.1)
        }
    }

    private func name(_ rows: ArraySlice<[String]>, _ columns: [Int], _ width: Int, _ index: GazetteerIndex) -> Part {
        let positions = rows.map { row in
            let values = columns.map { $0 < row.count ? Double(row[$0].filter { !$0.isWhitespace }) : nil }
            return values[0]
                .flatMap { latitude in
                    values[1].flatMap { Coordinate(latitude: latitude, longitude: $0) }
                }
        }
        var found = index.locate(positions.compactMap { $0 })[...]
        var part: Part = ([], 0)
        for (row, position) in zip(rows, positions) {
            // Rows that are too short or too long get as many fields as the header has.
            let fields = Array(row.prefix(width)) + [String](repeating: "", count: max(0, width - row.count))
            let match = position == nil ? nil : found.popFirst().flatMap { index.describe($0) }
            if match != nil { part.found += 1 }
            let names = [
                match?.label, match?.neighbourhood, match?.place.name, match?.place.admin2, match?.place.admin1,
                match?.place.countryCode, match?.postcode, match?.water,
            ]
            part.bytes += CSVWriter.row(fields + names.map { $0 ?? "" })
        }
        return part
    }
}
