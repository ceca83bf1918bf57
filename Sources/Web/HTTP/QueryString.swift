import HTTPTypes

/// The parameters of a query string.
package struct QueryString: Sendable {
    /// Every name with its values in the given order, still encoded: an unencoded comma separates values.
    package private(set) var values: [String: [String]] = [:]

    /// Parses `name=value&…` in the form encoding: `+` is a space, `%XX` a byte of UTF-8.
    ///
    /// - Throws: ``Problem`` for more than 100 different names, or for a name with a broken escape or invalid UTF-8.
    package init(_ text: String?) throws {
        for pair in (text ?? "").split(separator: "&") {
            let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = try QueryString.decode(sides[0])
            values[name, default: []].append(sides.count > 1 ? String(sides[1]) : "")
            guard values.count <= 100 else {
                throw Problem(.badRequest, "bad-parameter", "The address has more than 100 parameters.")
            }
        }
    }

    /// Returns the values of an encoded list, split at its commas.
    package static func list(_ text: String) throws -> [String] {
        try text.split(separator: ",", omittingEmptySubsequences: false).map(decode)
    }

    /// Returns the text of an encoded value.
    package static func decode(_ text: some StringProtocol) throws -> String {
        var bytes: [UInt8] = []
        var rest = Substring(text).utf8[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "+"):
                bytes.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                guard let digits = String(rest.prefix(2)), digits.utf8.count == 2, digits.allSatisfy(\.isHexDigit),
                    let value = UInt8(digits, radix: 16)
                else { throw Problem(.badRequest, "bad-parameter", "The address contains an invalid %-escape.") }
                bytes.append(value)
                rest = rest.dropFirst(2)
            default:
                bytes.append(byte)
            }
        }
        guard let decoded = String(validating: bytes, as: UTF8.self) else {
            throw Problem(.badRequest, "bad-parameter", "The address contains bytes that are not valid UTF-8.")
        }
        return decoded
    }
}
