/// Reads CSV with a header: one row per point.
struct CSVTraceReader {
    /// The meaning of a column.
    private enum Column: CaseIterable {
        case time, received, latitude, longitude, accuracy, dilution, speed, speedKmh, course, device, segment

        /// The accepted header names, in lower case.
        var names: [String] {
            switch self {
            case .time: ["time", "timestamp", "datetime", "tst"]
            case .received: ["received"]
            case .latitude: ["lat", "latitude"]
            case .longitude: ["lon", "lng", "longitude"]
            case .accuracy: ["acc", "accuracy", "hacc"]
            case .dilution: ["hdop"]
            case .speed: ["speed"]
            case .speedKmh: ["speed_kmh"]
            case .course: ["course", "heading", "bearing"]
            case .device: ["device"]
            case .segment: ["segment"]
            }
        }
    }

    /// Reads a table.
    ///
    /// - Throws: ``TraceError``.
    static func read(_ bytes: [UInt8], into builder: TraceBuilder) throws -> Trace {
        var builder = builder
        var reader = CSVReader(bytes)
        try refuseWideRows(bytes, delimiter: reader.delimiter, builder)
        do {
            guard let header = try reader.next() else { return builder.finish(.csv) }
            let columns = columns(of: header)
            try requirePosition(columns, header, builder)
            let row = Row(columns: columns, hasDecimalComma: reader.delimiter == UInt8(ascii: ";"))
            var segment: String?
            while let record = try reader.next() {
                let name = row.text(.segment, record)
                if name != segment { builder.endSegment() }
                segment = name
                try builder.add(row.point(record))
            }
        } catch let error as CSVError {
            let remedy = "correct the quotation marks; the file may be incomplete"
            throw builder.error(.malformed, at: .line(error.line), error.reason, remedy)
        }
        return builder.finish(.csv)
    }

    /// Rejects a table with a line of more than 10,000 values, which would take a hundred times its size in memory.
    private static func refuseWideRows(_ bytes: [UInt8], delimiter: UInt8, _ builder: TraceBuilder) throws {
        var line = 1
        var width = 1
        for byte in bytes {
            if byte == delimiter { width += 1 }
            if byte == UInt8(ascii: "\n") { (line, width) = (line + 1, 1) }
            if byte == UInt8(ascii: "\r") { width = 1 }
            guard width <= 10_000 else {
                let problem = "rejected: the table has more than 10000 columns"
                throw builder.error(.refused, at: .line(line), problem, "keep the columns time,lat,lon,accuracy")
            }
        }
    }

    /// Returns whether the first record names a latitude and a longitude.
    static func hasHeader(_ bytes: [UInt8]) -> Bool {
        var reader = CSVReader(bytes)
        guard let header = try? reader.next() else { return false }
        let columns = columns(of: header)
        return columns[.latitude] != nil && columns[.longitude] != nil
    }

    private static func columns(of header: CSVRecord) -> [Column: Int] {
        let names = header.fields.prefix(1_000).map { TraceText.words($0)?.lowercased() }
        var columns: [Column: Int] = [:]
        for column in Column.allCases {
            // If several columns have the same meaning, the first in the order of `names` counts, not the first in the
            // file.
            columns[column] = column.names.lazy.compactMap { names.firstIndex(of: $0) }.first
        }
        return columns
    }

    private static func requirePosition(
        _ columns: [Column: Int],
        _ header: CSVRecord,
        _ builder: TraceBuilder
    ) throws {
        let missing = [("lat", Column.latitude), ("lon", .longitude)].filter { columns[$0.1] == nil }.map(\.0)
        guard !missing.isEmpty else { return }
        let problem = "not a trace: the header has no column \(missing.joined(separator: " and no column "))"
        let remedy = "name the columns time,lat,lon,accuracy"
        throw builder.error(.notATrace, at: .line(header.line), problem, remedy)
    }

    /// Reads rows using the columns of the header.
    private struct Row {
        let columns: [Column: Int]
        let hasDecimalComma: Bool

        func point(_ record: CSVRecord) -> RawTracePoint {
            var raw = RawTracePoint(place: .line(record.line))
            raw.latitude = number(.latitude, record)
            raw.longitude = number(.longitude, record)
            raw.time = text(.time, record)
            raw.received = text(.received, record)
            raw.accuracy = number(.accuracy, record)
            raw.dilution = number(.dilution, record)
            raw.speed = number(.speed, record) ?? speedFromKilometresAnHour(record)
            raw.course = number(.course, record)
            raw.device = text(.device, record)
            return raw
        }

        /// Returns the value of a column, or `nil` if the row has none.
        func text(_ column: Column, _ record: CSVRecord) -> String? {
            guard let index = columns[column], index < record.fields.count else { return nil }
            return TraceText.words(record.fields[index])
        }

        private func number(_ column: Column, _ record: CSVRecord) -> String? {
            guard let text = text(column, record), hasDecimalComma, text.utf8.contains(UInt8(ascii: ",")) else {
                return text(column, record)
            }
            return String(text.map { $0 == "," ? "." : $0 })
        }

        private func speedFromKilometresAnHour(_ record: CSVRecord) -> String? {
            guard let text = number(.speedKmh, record) else { return nil }
            return TraceText.number(text).map { String($0 / 3.6) } ?? text
        }
    }
}
