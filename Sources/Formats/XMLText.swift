/// Converts an XML document to UTF-8.
enum XMLText {
    /// The reason a document cannot be converted to UTF-8.
    enum Failure: Error, Hashable {
        /// The document declares an unsupported encoding.
        case unknownEncoding(String)
        /// The bytes are invalid in the document's encoding.
        case invalidBytes(line: Int)
    }

    /// Returns `bytes` as UTF-8 without byte order mark and with the XML declaration blanked out, so that line numbers
    /// are unchanged.
    ///
    /// Supports UTF-8, UTF-16 with or without byte order mark, ISO-8859-1 and Windows-1252.
    ///
    /// - Throws: ``Failure``.
    /// - Complexity: O(bytes).
    static func prepared(_ bytes: [UInt8]) throws -> [UInt8] {
        var document = try decoded(bytes)
        if let declaration = declaration(of: document) {
            for index in declaration where !document[index].isLineBreak {
                document[index] = UInt8(ascii: " ")
            }
        }
        return document
    }

    /// Returns whether the bytes look like XML in a supported encoding.
    static func isLikely(_ bytes: [UInt8]) -> Bool {
        let start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes.prefix(4_096)
        if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) { return true }
        if bytes.starts(with: [0x3C, 0x00]) || bytes.starts(with: [0x00, 0x3C]) { return true }
        return start.first { !$0.isBlank } == UInt8(ascii: "<")
    }

    private static func decoded(_ bytes: [UInt8]) throws -> [UInt8] {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { return try validated(Array(bytes.dropFirst(3))) }
        if bytes.starts(with: [0xFF, 0xFE]) { return try fromUTF16(bytes.dropFirst(2), bigEndian: false) }
        if bytes.starts(with: [0xFE, 0xFF]) { return try fromUTF16(bytes.dropFirst(2), bigEndian: true) }
        if bytes.starts(with: [0x3C, 0x00]) { return try fromUTF16(bytes[...], bigEndian: false) }
        if bytes.starts(with: [0x00, 0x3C]) { return try fromUTF16(bytes[...], bigEndian: true) }
        switch declaredEncoding(bytes) {
        case nil, "utf-8", "utf8", "us-ascii", "ascii": return try validated(bytes)
        case "iso-8859-1", "latin1", "latin-1": return fromSingleByte(bytes, upper: nil)
        case "windows-1252", "cp1252": return fromSingleByte(bytes, upper: windows1252)
        case let other?: throw Failure.unknownEncoding(other)
        }
    }

    private static func validated(_ bytes: [UInt8]) throws -> [UInt8] {
        if String(validating: bytes, as: UTF8.self) != nil { return bytes }
        throw Failure.invalidBytes(line: lineOfFirstInvalidByte(bytes))
    }

    private static func lineOfFirstInvalidByte(_ bytes: [UInt8]) -> Int {
        var line = 1
        var decoder = UTF8()
        var iterator = bytes.makeIterator()
        while case .scalarValue(let scalar) = decoder.decode(&iterator) {
            if scalar == "\n" { line += 1 }
        }
        return line
    }

    private static func fromUTF16(_ bytes: ArraySlice<UInt8>, bigEndian: Bool) throws -> [UInt8] {
        var units: [UInt16] = []
        units.reserveCapacity(bytes.count / 2)
        var index = bytes.startIndex
        while index + 1 < bytes.endIndex {
            let first = UInt16(bytes[index])
            let second = UInt16(bytes[index + 1])
            units.append(bigEndian ? first << 8 | second : second << 8 | first)
            index += 2
        }
        guard index == bytes.endIndex, let text = String(validating: units, as: UTF16.self) else {
            throw Failure.invalidBytes(line: 1 + units.count { $0 == 10 })
        }
        return Array(text.utf8)
    }

    private static func fromSingleByte(_ bytes: [UInt8], upper: [UInt16]?) -> [UInt8] {
        var text = String.UnicodeScalarView()
        for byte in bytes {
            if let upper, (0x80...0x9F).contains(byte), let scalar = Unicode.Scalar(upper[Int(byte) - 0x80]) {
                text.append(scalar)
            } else {
                text.append(Unicode.Scalar(byte))
            }
        }
        return Array(String(text).utf8)
    }

    /// The Unicode scalars of bytes 0x80...0x9F in Windows-1252; unassigned bytes map to themselves.
    static let windows1252: [UInt16] = [
        0x20AC, 0x81, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0x8D,
        0x017D, 0x8F, 0x90, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A,
        0x0153, 0x9D, 0x017E, 0x0178,
    ]

    /// Returns the range of the XML declaration; leading white space, which XML forbids but some exporters write, is
    /// accepted.
    private static func declaration(of bytes: [UInt8]) -> Range<Int>? {
        let start = bytes.prefix(1_024).firstIndex { !$0.isBlank } ?? 0
        let window = bytes[start...].prefix(200)
        guard window.starts(with: Array("<?xml ".utf8)) else { return nil }
        return window.firstRange(of: Array("?>".utf8)).map { start..<$0.upperBound }
    }

    /// Returns the encoding in the XML declaration in lower case, or `nil`.
    private static func declaredEncoding(_ bytes: [UInt8]) -> String? {
        guard let declaration = declaration(of: bytes).map({ bytes[$0] }) else { return nil }
        guard let key = declaration.firstRange(of: Array("encoding".utf8)) else { return nil }
        let rest = declaration[key.upperBound...]
        let isQuote: (UInt8) -> Bool = { $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "'") }
        guard let open = rest.firstIndex(where: isQuote) else { return nil }
        guard let close = rest[(open + 1)...].firstIndex(of: rest[open]) else { return nil }
        return String(decoding: rest[(open + 1)..<close], as: UTF8.self).lowercased()
    }
}

extension UInt8 {
    /// Whether the byte is an ASCII space, tab or line break.
    var isBlank: Bool { self == 0x20 || self == 0x09 || isLineBreak }

    /// Whether the byte is a line feed or a carriage return.
    var isLineBreak: Bool { self == 0x0A || self == 0x0D }
}
