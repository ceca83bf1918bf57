/// Writes rows of CSV (RFC 4180) in UTF-8.
public enum CSVWriter: Sendable {
    /// Returns the bytes of one row with its line end.
    ///
    /// A field is quoted only if it contains a comma, semicolon, tab, quotation mark or line break, or begins or ends
    /// with a space.
    public static func row(_ fields: [String]) -> [UInt8] {
        var bytes: [UInt8] = []
        for (index, field) in fields.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            append(field, to: &bytes)
        }
        bytes += [13, 10]
        return bytes
    }

    /// Returns the bytes of the given values, each preceded by a delimiter, to append to a row.
    public static func values(_ fields: [String], each delimiter: UInt8) -> [UInt8] {
        var bytes: [UInt8] = []
        for field in fields {
            bytes.append(delimiter)
            append(field, to: &bytes)
        }
        return bytes
    }

    private static func append(_ field: String, to bytes: inout [UInt8]) {
        let quote = UInt8(ascii: "\"")
        let special = Array("\",;\r\n\t".utf8)
        let isSpaced = field.utf8.first == 0x20 || field.utf8.last == 0x20
        guard isSpaced || field.utf8.contains(where: special.contains) else {
            bytes += field.utf8
            return
        }
        bytes.append(quote)
        for byte in field.utf8 {
            if byte == quote { bytes.append(quote) }
            bytes.append(byte)
        }
        bytes.append(quote)
    }
}
