import Geometry

/// The table of a Shapefile (dBASE III and its successors), row by row.
struct DatabaseTable {
    private struct Column {
        let name: String
        let type: UInt8
        let length: Int
    }

    private let bytes: [UInt8]
    private let columns: [Column]
    private let rowLength: Int
    private let encoding: TextEncoding
    private var position: Int
    private var left: Int
    /// The encoding if nothing said it and the table has more than ASCII.
    private(set) var guessedEncoding: TextEncoding?

    private static let damaged = Shapefile.Failure(reason: "the table of the Shapefile (.dbf) is damaged or incomplete")

    init(_ bytes: [UInt8], encoding name: String?) throws(Shapefile.Failure) {
        guard bytes.count >= 33 else { throw DatabaseTable.damaged }
        func number(_ at: Int, _ length: Int) -> Int {
            bytes[at..<(at + length)].reversed().reduce(0) { $0 << 8 | Int($1) }
        }
        let (count, headLength, rowLength) = (number(4, 4), number(8, 2), number(10, 2))
        guard headLength >= 33, headLength <= bytes.count, rowLength >= 1 else { throw DatabaseTable.damaged }
        let encoding = try DatabaseTable.encoding(named: name, mark: bytes[29], bytes: bytes[headLength...])
        var columns: [Column] = []
        var at = 32
        while at + 32 < headLength, bytes[at] != 0x0D {
            let letters = bytes[at..<(at + 11)].prefix { $0 != 0 }
            columns.append(
                Column(
                    name: DatabaseTable.text(letters, encoding.used) ?? String(decoding: letters, as: UTF8.self),
                    type: bytes[at + 11],
                    length: Int(bytes[at + 16])
                )
            )
            at += 32
        }
        guard columns.reduce(1, { $0 + $1.length }) <= rowLength else { throw DatabaseTable.damaged }
        (self.bytes, self.columns, self.rowLength) = (bytes, columns, rowLength)
        (self.encoding, guessedEncoding) = (encoding.used, encoding.isGuess ? encoding.used : nil)
        (position, left) = (headLength, count)
    }

    /// Returns the next row as a JSON object; `nil` for a deleted one.
    mutating func next() throws(Shapefile.Failure) -> [UInt8]? {
        guard left > 0, position + rowLength <= bytes.count else { throw DatabaseTable.damaged }
        left -= 1
        defer { position += rowLength }
        guard bytes[position] != UInt8(ascii: "*") else { return nil }
        var json = JSONWriter(capacity: rowLength * 2)
        json.beginObject()
        var at = position + 1
        for column in columns {
            let cell = bytes[at..<(at + column.length)]
            at += column.length
            guard let value = try value(cell, column) else { continue }
            json.key(column.name)
            value.write(to: &json)
        }
        json.endObject()
        return json.bytes
    }

    private enum Value {
        case text(String)
        case number(Double)
        case flag(Bool)

        func write(to json: inout JSONWriter) {
            switch self {
            case .text(let text): json.value(text)
            case .number(let number): json.value(number)
            case .flag(let flag): json.value(flag)
            }
        }
    }

    private func value(_ cell: ArraySlice<UInt8>, _ column: Column) throws(Shapefile.Failure) -> Value? {
        guard let text = DatabaseTable.text(DatabaseTable.trimmed(cell.prefix { $0 != 0 }), encoding) else {
            throw Shapefile.Failure(
                reason:
                    "the column \(column.name) has bytes that are not \(encoding.title); name the encoding in a .cpg file"
            )
        }
        guard !text.isEmpty else { return nil }
        switch column.type {
        case UInt8(ascii: "N"), UInt8(ascii: "F"):
            // Asterisks stand for a number that did not fit.
            return text.hasPrefix("*") ? nil : DecimalText.number(text).map(Value.number) ?? .text(text)
        case UInt8(ascii: "L"):
            switch text.uppercased() {
            case "T", "Y": return .flag(true)
            case "F", "N": return .flag(false)
            default: return nil
            }
        case UInt8(ascii: "D"):
            guard text.utf8.count == 8, text.allSatisfy({ $0.isASCII && $0.isNumber }) else { return .text(text) }
            return text == "00000000"
                ? nil : .text("\(text.prefix(4))-\(text.dropFirst(4).prefix(2))-\(text.suffix(2))")
        default: return .text(text)
        }
    }

    /// Cells are filled up with blanks.
    private static func trimmed(_ cell: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var cell = cell.drop { $0 == 0x20 }
        while cell.last == 0x20 { cell.removeLast() }
        return cell
    }

    private static func text(_ bytes: ArraySlice<UInt8>, _ encoding: TextEncoding) -> String? {
        if encoding == .utf8 { return String(validating: bytes, as: UTF8.self) }
        return (try? DecodedText(Array(bytes), as: encoding)).map { String(decoding: $0.bytes, as: UTF8.self) }
    }

    /// Determines the encoding from the name in a .cpg file, the mark in the table, or its bytes.
    private static func encoding(
        named name: String?,
        mark: UInt8,
        bytes: ArraySlice<UInt8>
    ) throws(Shapefile.Failure) -> (used: TextEncoding, isGuess: Bool) {
        if let name {
            let plain = name.lowercased().filter { $0.isLetter || $0.isNumber }
            switch plain {
            case "utf8", "65001": return (.utf8, false)
            case "iso88591", "88591", "latin1", "28591": return (.latin1, false)
            case "macintosh", "macroman", "10000": return (.macRoman, false)
            case "1252", "cp1252", "ansi1252", "windows1252", "ansi": return (.windows1252, false)
            default:
                let advice = "convert the table with 'ogr2ogr -f GeoJSON out.geojson in.shp'"
                throw Shapefile.Failure(reason: "the encoding \(name.prefix(40)) of the table is not known; \(advice)")
            }
        }
        if mark == 0x03 || mark == 0x57 { return (.windows1252, false) }
        if mark == 0x04 { return (.macRoman, false) }
        let hasMore = bytes.contains { $0 >= 0x80 }
        let isUnicode = String(validating: bytes, as: UTF8.self) != nil
        return (isUnicode ? .utf8 : .windows1252, hasMore)
    }
}
