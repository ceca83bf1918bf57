import Formats
import Foundation

/// Processes every row of a table on all cores, and writes the rows in order, byte for byte, with the results appended.
struct TableBatch: Sendable {
    let input: String
    /// The input columns.
    let columns: [String]
    /// The output columns.
    let added: [String]
    let output: String?

    /// The counts of processed rows.
    struct Counts: Sendable {
        var rows = 0
        var found = 0
    }

    /// A function that receives the fields of ``columns`` of each row and returns the fields of ``added``; `nil` for a
    /// row without a result.
    typealias Answers = @Sendable (_ rows: [[String]]) -> [[String]?]

    /// The maximum number of rows from an earlier run that are computed again, to check that the results are the same.
    private static let mostCompared = 2_000

    /// Reads, processes and writes the rows; results are in the file within about a second.
    ///
    /// - Throws: ``CommandFailure`` if a file cannot be read or written, or the table is not as expected.
    func run(bar: ProgressBar, answers: @escaping Answers) async throws -> Counts {
        var rows = try TableRows(path: input)
        defer { rows.close() }
        let job = Job(batch: self, numbers: try numbers(in: rows), rows: rows, answers: answers)
        var sink = try BatchSink(path: output, header: job.header, of: input)
        defer { sink.close() }
        var counts = Counts()
        var compared = Sample<(row: CSVRow, old: CSVRow)>(most: Self.mostCompared)
        var isNew = false
        let total = (try? FileManager.default.attributesOfItem(atPath: input)[.size] as? Int) ?? 0
        var pace = Pace()
        while let block = try rows.next() {
            var rest = block[...]
            while !isNew, let row = rest.first {
                if let old = try sink.answered(row, delimiter: rows.delimiter) {
                    compared.take((row, old))
                    rest.removeFirst()
                } else {
                    try await compare(compared.items, job, sink)
                    isNew = true
                }
            }
            while !rest.isEmpty {
                let part = rest.prefix(pace.rows)
                rest.removeFirst(part.count)
                let start = ContinuousClock.now
                for done in try await job.answer(part) {
                    try sink.write(done.bytes)
                    counts.found += done.found
                }
                pace.adapt(to: ContinuousClock.now - start)
                counts.rows += part.count
                bar.show(done: rows.position, of: total, count: counts.rows, unit: "rows")
            }
        }
        if !isNew {
            try sink.finish()
            try await compare(compared.items, job, sink)
        }
        bar.end()
        return counts
    }

    private func numbers(in rows: TableRows) throws -> [Int] {
        try columns.map { column in
            guard let number = rows.columns.firstIndex(of: column) else {
                let names = rows.columns.prefix(12).map { excerpt($0) }.joined(separator: ", ")
                let more = rows.columns.count > 12 ? " …" : ""
                throw CommandFailure.usage(
                    "\(input) has no column \(excerpt(column)); its columns are \(names)\(more)."
                )
            }
            return number
        }
    }

    /// Checks that the results of an earlier run are the same as those of this one.
    private func compare(_ pairs: [(row: CSVRow, old: CSVRow)], _ job: Job, _ sink: BatchSink) async throws {
        let answers = try await job.answer(pairs.map(\.row)[...]).flatMap(\.bytes)
        guard answers != pairs.flatMap({ $0.old.bytes + $0.old.ending }) else { return }
        for pair in pairs {
            let now = try await job.answer([pair.row]).flatMap(\.bytes)
            if now != Array(pair.old.bytes + pair.old.ending) { throw sink.refuse(pair.old) }
        }
    }
}

/// The number of rows processed before they are written, adapted so that processing takes a quarter of a second to a
/// second.
private struct Pace {
    private(set) var rows = 128

    mutating func adapt(to duration: Duration) {
        if duration < .milliseconds(250) { rows = min(1 << 16, rows * 2) }
        if duration > .seconds(1) { rows = max(64, rows / 2) }
    }
}

/// A uniform sample, limited in size, of an unknown number of elements.
private struct Sample<Element> {
    let most: Int
    private(set) var items: [Element] = []
    private var step = 1
    private var count = 0

    init(most: Int) { self.most = most }

    mutating func take(_ item: Element) {
        defer { count += 1 }
        guard count % step == 0 else { return }
        if items.count == most {
            items = items.enumerated().filter { $0.offset % 2 == 0 }.map(\.element)
            step *= 2
            guard count % step == 0 else { return }
        }
        items.append(item)
    }
}

extension TableBatch {
    /// Everything needed to process rows, except the rows.
    private struct Job: Sendable {
        typealias Part = (bytes: [UInt8], found: Int)

        private let input: String
        private let numbers: [Int]
        private let width: Int
        private let delimiter: UInt8
        private let ending: [UInt8]
        private let added: Int
        private let answers: Answers
        /// The first row of the output.
        let header: [UInt8]

        init(batch: TableBatch, numbers: [Int], rows: TableRows, answers: @escaping Answers) {
            input = batch.input
            self.numbers = numbers
            width = rows.columns.count
            delimiter = rows.delimiter
            ending = rows.header.ending.isEmpty ? [0x0A] : Array(rows.header.ending)
            added = batch.added.count
            self.answers = answers
            header = rows.header.bytes + CSVWriter.values(batch.added, each: delimiter) + ending
        }

        /// Processes the given rows, divided among all cores.
        ///
        /// - Throws: ``CommandFailure`` if a row has more values than the header, or its quotation marks are invalid.
        func answer(_ rows: ArraySlice<CSVRow>) async throws -> [Part] {
            let cores = max(1, ProcessInfo.processInfo.activeProcessorCount)
            let size = max(64, (rows.count + cores - 1) / cores)
            return try await withThrowingTaskGroup(of: (Int, Part).self) { group in
                for (number, start) in stride(from: rows.startIndex, to: rows.endIndex, by: size).enumerated() {
                    let part = rows[start..<min(rows.endIndex, start + size)]
                    group.addTask { (number, try answerAlone(part)) }
                }
                var parts: [(Int, Part)] = []
                for try await part in group { parts.append(part) }
                return parts.sorted { $0.0 < $1.0 }.map(\.1)
            }
        }

        private func answerAlone(_ rows: ArraySlice<CSVRow>) throws -> Part {
            var part: Part = ([], 0)
            var missing: [Int] = []
            let asked = try rows.map { row in
                let fields = try row.fields(of: input, delimiter: delimiter)
                guard fields.count <= width else {
                    throw CommandFailure.usage(
                        "\(input):\(row.line): This row has \(fields.count) values and the header \(width); "
                            + "put values that contain the separator in quotation marks."
                    )
                }
                missing.append(width - fields.count)
                return numbers.map { $0 < fields.count ? fields[$0] : "" }
            }
            for ((row, missing), answer) in zip(zip(rows, missing), answers(asked)) {
                if answer != nil { part.found += 1 }
                part.bytes += row.bytes
                part.bytes += [UInt8](repeating: delimiter, count: missing)
                part.bytes += CSVWriter.values(answer ?? [String](repeating: "", count: added), each: delimiter)
                part.bytes += row.ending.isEmpty ? ending : Array(row.ending)
            }
            return part
        }
    }
}
