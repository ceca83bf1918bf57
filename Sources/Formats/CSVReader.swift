/// One record of a table of comma-separated values.
public struct CSVRecord: Hashable, Sendable {
    /// The line of the file at which the record begins, starting at one.
    public let line: Int
    /// The values, unquoted.
    public let fields: [String]
    /// Whether invalid UTF-8 was replaced by U+FFFD.
    public let isRepaired: Bool
}

/// An error in a table of comma-separated values.
public struct CSVError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The line at which the error begins, starting at one.
    public let line: Int
    /// The error and how to fix it, without a full stop.
    public let reason: String

    /// Creates an error for a line, for readers that process a table in parts.
    package init(line: Int, reason: String) {
        self.line = line
        self.reason = reason
    }

    /// The reason with its line.
    public var description: String { "\(reason) (line \(line))" }
}

/// Reads values separated by commas, semicolons, tabs or vertical lines (RFC 4180), record by record.
///
/// Implemented here because the available libraries work on `Character` and report no line numbers. Lines may end in
/// LF, CRLF or CR; empty lines are ignored; a byte order mark is skipped; a quotation mark inside an unquoted value is
/// an ordinary character.
public struct CSVReader: Sendable {
    /// The supported delimiters, in order of preference.
    public static let delimiters: [UInt8] = [
        UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "\t"), UInt8(ascii: "|"),
    ]

    /// The maximum number of values in a record.
    ///
    /// A value takes sixteen bytes of memory or more, also an empty one, of which the file has a single byte.
    package static let mostValues = 10_000

    /// The byte between values.
    public let delimiter: UInt8
    /// The position of the next byte, for progress reports.
    public private(set) var position: Int
    private let bytes: [UInt8]
    private var line = 1
    /// The number of values in the last record, used to reserve capacity for the next one.
    private var width = 8

    /// Creates a reader; the delimiter is the given one, else the one that Excel's line `sep=` names, else the most
    /// frequent one in the first record.
    ///
    /// With a given delimiter, such a line is a record like any other.
    public init(_ bytes: [UInt8], delimiter: UInt8? = nil) {
        self.bytes = bytes
        position = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        let named = delimiter == nil ? CSVReader.namedDelimiter(bytes[position...]) : nil
        // The line is no record: the reader begins at its end, which is then an empty line.
        if let named { position += named.length }
        self.delimiter = delimiter ?? named?.delimiter ?? CSVReader.detectDelimiter(bytes[position...])
    }

    /// Returns the delimiter in the line `sep=;` by which a file tells Excel how to read it, and the line's length.
    package static func namedDelimiter(_ bytes: ArraySlice<UInt8>) -> (delimiter: UInt8, length: Int)? {
        let line = bytes.prefix(8).prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
        let isQuoted = line.count == 7 && line.first == UInt8(ascii: "\"") && line.last == UInt8(ascii: "\"")
        let text = isQuoted ? line.dropFirst().dropLast() : line
        guard text.count == 5, let delimiter = text.last, delimiter < 0x80, delimiter != UInt8(ascii: "\"") else {
            return nil
        }
        let isNamed = zip(text, "sep=".utf8).allSatisfy { $0.0 | 0x20 == $0.1 || $0.0 == $0.1 }
        return isNamed ? (delimiter, line.count) : nil
    }

    /// Returns the most frequent delimiter in the first record, outside quotation marks; a comma if there is none.
    static func detectDelimiter(_ bytes: ArraySlice<UInt8>) -> UInt8 {
        var counts = [Int](repeating: 0, count: delimiters.count)
        var isQuoted = false
        var hasText = false
        for byte in bytes {
            if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
            if isQuoted { continue }
            if byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") {
                if hasText { break }
            } else {
                hasText = true
            }
            if let index = delimiters.firstIndex(of: byte) { counts[index] += 1 }
        }
        let most = counts.max() ?? 0
        return zip(delimiters, counts).first { $0.1 == most }?.0 ?? delimiters[0]
    }

    /// Returns the next record, or `nil` at the end.
    ///
    /// - Throws: ``CSVError`` for a quotation mark that is never closed, or closed and followed by more text, and for more
    ///   than ``mostValues`` values, of which no more are read.
    public mutating func next() throws(CSVError) -> CSVRecord? {
        skipEmptyLines()
        guard position < bytes.count else { return nil }
        let start = line
        var fields: [String] = []
        fields.reserveCapacity(width)
        var isRepaired = false
        repeat {
            guard fields.count < CSVReader.mostValues else {
                throw CSVError(
                    line: start,
                    reason: "the line has more than \(CSVReader.mostValues) columns; divide the table"
                )
            }
            fields.append(try field(&isRepaired))
        } while passDelimiter()
        passLineEnd()
        width = fields.count
        return CSVRecord(line: start, fields: fields, isRepaired: isRepaired)
    }

    private mutating func skipEmptyLines() {
        while position < bytes.count, isLineEnd(bytes[position]) { passLineEnd() }
    }

    private func isLineEnd(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
    }

    private mutating func passDelimiter() -> Bool {
        guard position < bytes.count, bytes[position] == delimiter else { return false }
        position += 1
        return true
    }

    /// Skips LF, CRLF or CR if one is next.
    private mutating func passLineEnd() {
        guard position < bytes.count, isLineEnd(bytes[position]) else { return }
        let isCarriageReturn = bytes[position] == UInt8(ascii: "\r")
        position += 1
        line += 1
        if isCarriageReturn, position < bytes.count, bytes[position] == UInt8(ascii: "\n") { position += 1 }
    }

    private mutating func field(_ isRepaired: inout Bool) throws(CSVError) -> String {
        if position < bytes.count, bytes[position] == UInt8(ascii: "\"") { return try quotedField(&isRepaired) }
        let start = position
        while position < bytes.count, bytes[position] != delimiter, !isLineEnd(bytes[position]) { position += 1 }
        return CSVReader.text(bytes[start..<position], &isRepaired)
    }

    private mutating func quotedField(_ isRepaired: inout Bool) throws(CSVError) -> String {
        let opening = line
        position += 1
        var start = position
        var unescaped: [UInt8] = []
        while position < bytes.count {
            let byte = bytes[position]
            if isLineEnd(byte) {
                passLineEnd()
            } else if byte != UInt8(ascii: "\"") {
                position += 1
            } else if position + 1 < bytes.count, bytes[position + 1] == byte {
                // A doubled quotation mark stands for a single one: keep the first and skip the second.
                unescaped.append(contentsOf: bytes[start...position])
                position += 2
                start = position
            } else {
                let end = position
                position += 1
                try endOfField()
                if unescaped.isEmpty { return CSVReader.text(bytes[start..<end], &isRepaired) }
                unescaped.append(contentsOf: bytes[start..<end])
                return CSVReader.text(unescaped[...], &isRepaired)
            }
        }
        throw CSVError(line: opening, reason: "a quotation mark is opened and never closed")
    }

    /// Checks that a closing quotation mark is followed by a delimiter or the end of the line.
    private func endOfField() throws(CSVError) {
        guard position < bytes.count, bytes[position] != delimiter, !isLineEnd(bytes[position]) else { return }
        let reason = "text follows a closing quotation mark; inside quoted values, write quotation marks twice"
        throw CSVError(line: line, reason: reason)
    }

    private static func text(_ bytes: ArraySlice<UInt8>, _ isRepaired: inout Bool) -> String {
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        isRepaired = true
        return String(decoding: bytes, as: UTF8.self)
    }
}
