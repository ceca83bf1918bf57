/// One row of a table of delimited values, byte for byte as in the file.
public struct CSVRow: Hashable, Sendable {
    /// The line of the file at which the row begins, starting at one.
    public let line: Int
    /// Its bytes without the line end.
    public let bytes: ArraySlice<UInt8>
    /// Its line end: LF, CRLF or CR; empty if the file ends without one.
    public let ending: ArraySlice<UInt8>

    /// Creates a row that begins at the given line of its file.
    package init(line: Int, bytes: ArraySlice<UInt8>, ending: ArraySlice<UInt8>) {
        self.line = line
        self.bytes = bytes
        self.ending = ending
    }

    /// Returns the unquoted values of the row.
    ///
    /// Invalid UTF-8 becomes U+FFFD; an empty row has one empty value.
    /// - Throws: ``CSVError`` for a quotation mark that is never closed, or closed and followed by more text.
    public func fields(delimiter: UInt8) throws(CSVError) -> [String] {
        var reader = CSVReader(Array(bytes), delimiter: delimiter)
        do {
            return try reader.next()?.fields ?? [""]
        } catch {
            throw CSVError(line: line + error.line - 1, reason: error.reason)
        }
    }
}

/// Splits the bytes of a table (RFC 4180) into unmodified rows, block by block.
///
/// Quotation marks are recognised where ``CSVReader`` recognises them: at the beginning of a value.
public struct CSVRowSplitter: Sendable {
    /// The byte between values.
    public let delimiter: UInt8
    /// The line at which the next row begins, starting at one.
    public private(set) var line = 1

    private enum State {
        case atStart, plain, quoted, closing
    }

    /// Creates a splitter for a table with this delimiter.
    public init(delimiter: UInt8) {
        self.delimiter = delimiter
    }

    /// Splits off the complete rows at the beginning of the given bytes.
    ///
    /// - Parameters:
    ///   - bytes: the bytes not yet split.
    ///   - isAtEnd: whether the table ends after these bytes; the last row then needs no line end.
    /// - Returns: the rows, and their total length in bytes.
    public mutating func rows(in bytes: [UInt8], isAtEnd: Bool) -> (rows: [CSVRow], length: Int) {
        var rows: [CSVRow] = []
        var (start, position, lines) = (0, 0, 0)
        var state = State.atStart
        func isLineEnd(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") }
        while position < bytes.count {
            let byte = bytes[position]
            guard isLineEnd(byte), state != .quoted else {
                if byte == UInt8(ascii: "\n") { lines += 1 }
                state = after(byte, state)
                position += 1
                continue
            }
            // The line feed of a CRLF may be at the beginning of the next block.
            if byte == UInt8(ascii: "\r"), position + 1 == bytes.count, !isAtEnd { break }
            let isPair =
                byte == UInt8(ascii: "\r") && position + 1 < bytes.count && bytes[position + 1] == UInt8(ascii: "\n")
            let end = position + (isPair ? 2 : 1)
            rows.append(CSVRow(line: line, bytes: bytes[start..<position], ending: bytes[position..<end]))
            line += lines + 1
            (start, position, lines, state) = (end, end, 0, .atStart)
        }
        if isAtEnd, start < bytes.count {
            rows.append(CSVRow(line: line, bytes: bytes[start...], ending: []))
            start = bytes.count
        }
        return (rows, start)
    }

    @inline(__always)
    private func after(_ byte: UInt8, _ state: State) -> State {
        let isQuote = byte == UInt8(ascii: "\"")
        switch state {
        case .quoted: return isQuote ? .closing : .quoted
        case .atStart where isQuote: return .quoted
        case .closing where isQuote: return .quoted
        default: return byte == delimiter ? .atStart : .plain
        }
    }
}
