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
    /// A word by which to judge the guess; `nil` without one.
    var guessedExample: String? {
        guard let guess = guessedEncoding,
            let text = try? DecodedText(Array(bytes[start...].prefix(1 << 20)), as: guess)
        else {
            return nil
        }
        return TextDecoder.example(in: text.bytes, as: guess)
    }
    /// Where the rows begin.
    private let start: Int

    private static let damaged = Shapefile.Failure(reason: "the table of the Shapefile (.dbf) is damaged or incomplete")

    init(_ bytes: [UInt8], encoding name: String?, given: TextEncoding? = nil) throws(Shapefile.Failure) {
        guard bytes.count >= 33 else { throw DatabaseTable.damaged }
        func number(_ at: Int, _ length: Int) -> Int {
            bytes[at..<(at + length)].reversed().reduce(0) { $0 << 8 | Int($1) }
        }
        let (count, headLength, rowLength) = (number(4, 4), number(8, 2), number(10, 2))
        guard headLength >= 33, headLength <= bytes.count, rowLength >= 1 else { throw DatabaseTable.damaged }
        let encoding = try DatabaseTable.encoding(given, named: name, mark: bytes[29], bytes: bytes[headLength...])
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
        (start, position, left) = (headLength, headLength, count)
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
                    "the column \(column.name) has bytes that are not \(encoding.title); give --encoding, or name it in a .cpg file"
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
        if encoding == .utf8 {
            // A text that fills its column may end within a letter.
            return (0...3).lazy.compactMap { String(validating: bytes.dropLast($0), as: UTF8.self) }.first
        }
        return (try? DecodedText(Array(bytes), as: encoding)).map { String(decoding: $0.bytes, as: UTF8.self) }
    }

    /// The encodings by the byte 29 of the table, the language driver (dBASE and FoxPro; GDAL reads the same).
    private static let marks: [UInt8: TextEncoding] = [
        0x01: .dosAmerican, 0x02: .dosWestern, 0x03: .windows1252, 0x04: .macRoman, 0x13: .shiftJIS, 0x26: .dosCyrillic,
        0x4D: .chinese, 0x4E: .korean, 0x4F: .traditionalChinese, 0x57: .windows1252, 0x65: .dosCyrillic,
        0x78: .traditionalChinese, 0x79: .korean, 0x7A: .chinese, 0x7B: .shiftJIS, 0xC8: .windows1250,
        0xC9: .windows1251,
        0xCA: .windows1254, 0xCB: .windows1253, 0xCC: .windows1257,
    ]

    /// Determines the encoding from what is given, the name in a .cpg file, the mark in the table, or its bytes.
    private static func encoding(
        _ given: TextEncoding?,
        named name: String?,
        mark: UInt8,
        bytes: ArraySlice<UInt8>
    ) throws(Shapefile.Failure) -> (used: TextEncoding, isGuess: Bool) {
        if let given { return (given, false) }
        if let name {
            let plain = name.lowercased().filter { $0.isLetter || $0.isNumber }
            switch plain {
            case "65001": return (.utf8, false)
            case "88591", "28591": return (.latin1, false)
            case "10000": return (.macRoman, false)
            default:
                if let known = TextEncoding(name: plain) { return (known, false) }
                let advice = "convert the table with 'ogr2ogr -f GeoJSON out.geojson in.shp'"
                throw Shapefile.Failure(reason: "the encoding \(name.prefix(40)) of the table is not known; \(advice)")
            }
        }
        if let marked = marks[mark] { return (marked, false) }
        let survey = TextDecoder.survey(bytes)
        if survey.invalid == 0 || survey.sequences > survey.invalid { return (.utf8, survey.sequences > 0) }
        guard let western = TextDecoder.western(bytes) else {
            throw Shapefile.Failure(
                reason:
                    "the encoding of the table (.dbf) was not recognised; give --encoding (\(TextEncoding.names)), or add a "
                    + ".cpg file that names it"
            )
        }
        return (western, true)
    }
}
