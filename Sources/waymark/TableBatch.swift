import Formats
import Foundation

/// Answers every row of a CSV file on all cores, and writes the rows in their order with the answers behind them.
struct TableBatch: Sendable {
    let input: String
    /// The columns that are asked about.
    let columns: [String]
    /// The columns that the answers fill.
    let added: [String]
    let output: String?

    /// What was done.
    struct Counts: Sendable {
        var rows = 0
        var found = 0
    }

    /// The fields of ``added`` for each of some rows, which are given by their fields of ``columns``; `nil` when nothing
    /// was found.
    typealias Answers = @Sendable (_ rows: [[String]]) -> [[String]?]

    /// Reads, answers and writes, some thousand rows at a time.
    ///
    /// - Throws: ``CommandFailure`` when a file cannot be read or written, or the table is not as expected.
    func run(bar: ProgressBar, answers: @escaping Answers) async throws -> Counts {
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
        let sink = try BatchSink(path: output, header: header + added)
        defer { sink.close() }
        var left = sink.rowsBefore
        var counts = Counts()
        let total = (try? FileManager.default.attributesOfItem(atPath: input)[.size] as? Int) ?? 0
        while let block = try rows.next() {
            if (1...block.count).contains(left) { try check(sink, follows: block[left - 1], header.count) }
            let records = block.dropFirst(min(left, block.count))
            left -= block.count - records.count
            guard !records.isEmpty else { continue }
            counts.rows += records.count
            // Written soon, so that little is lost when it is broken off.
            for start in stride(from: records.startIndex, to: records.endIndex, by: Self.piece) {
                let piece = Array(records[start..<min(records.endIndex, start + Self.piece)])
                for part in await answer(piece, numbers, header.count, answers) {
                    try sink.write(part.bytes)
                    counts.found += part.found
                }
            }
            bar.show(done: rows.position, of: total, count: counts.rows, unit: "rows")
        }
        bar.end()
        return counts
    }

    /// Rows that are answered and written together.
    private static let piece = 1_000

    /// Makes sure that what was written before ends with the answer to this row.
    private func check(_ sink: BatchSink, follows row: [String], _ width: Int) throws {
        let fields = Array(row.prefix(width)) + [String](repeating: "", count: max(0, width - row.count))
        guard let last = sink.lastRow, !last.starts(with: CSVWriter.row(fields).dropLast(2)) else { return }
        throw CommandFailure.usage(
            "\(output ?? "The output") holds answers to another table than \(input); give another file with --output."
        )
    }

    private typealias Part = (bytes: [UInt8], found: Int)

    /// Answers some rows, each core a part of them.
    private func answer(
        _ rows: [[String]],
        _ columns: [Int],
        _ width: Int,
        _ answers: @escaping Answers
    ) async -> [Part] {
        let cores = max(1, ProcessInfo.processInfo.activeProcessorCount)
        let size = max(64, (rows.count + cores - 1) / cores)
        return await withTaskGroup(of: (Int, Part).self) { group in
            for (number, start) in stride(from: 0, to: rows.count, by: size).enumerated() {
                let part = rows[start..<min(rows.count, start + size)]
                group.addTask { (number, answer(part, columns, width, answers)) }
            }
            var parts: [(Int, Part)] = []
            for await part in group { parts.append(part) }
            return parts.sorted { $0.0 < $1.0 }.map(\.1)
        }
    }

    private func answer(_ rows: ArraySlice<[String]>, _ columns: [Int], _ width: Int, _ answers: Answers) -> Part {
        var part: Part = ([], 0)
        let asked = rows.map { row in columns.map { $0 < row.count ? row[$0] : "" } }
        for (row, answer) in zip(rows, answers(asked)) {
            // Rows that are too short or too long get as many fields as the header has.
            let fields = Array(row.prefix(width)) + [String](repeating: "", count: max(0, width - row.count))
            if answer != nil { part.found += 1 }
            part.bytes += CSVWriter.row(fields + (answer ?? [String](repeating: "", count: added.count)))
        }
        return part
    }
}
