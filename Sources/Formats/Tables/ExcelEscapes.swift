/// Characters that XML cannot hold, as Excel writes them: `_x000D_` (ECMA-376, part 1, 22.9.2.19, ST_Xstring).
package enum ExcelEscapes: Sendable {
    /// Returns a text with the characters that it stands for; one with nothing to decode is returned as it is.
    ///
    /// An underscore that would begin such a group is itself written as `_x005F_`. Halves of surrogate pairs stay as they
    /// are.
    package static func decoded(_ text: String) -> String {
        let bytes = Array(text.utf8)
        guard bytes.count >= length, bytes.firstRange(of: [UInt8(ascii: "_"), UInt8(ascii: "x")]) != nil else {
            return text
        }
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var at = 0
        while at < bytes.count {
            if let scalar = scalar(bytes[at...].prefix(length)) {
                result.append(contentsOf: Array(String(Character(scalar)).utf8))
                at += length
            } else {
                result.append(bytes[at])
                at += 1
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    private static let length = 7

    private static func scalar(_ group: ArraySlice<UInt8>) -> Unicode.Scalar? {
        let digits = group.dropFirst(2).prefix(4)
        guard group.count == length, group.starts(with: [UInt8(ascii: "_"), UInt8(ascii: "x")]),
            group.last == UInt8(ascii: "_"),
            !digits.contains(where: { $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "-") })
        else { return nil }
        return UInt32(String(decoding: digits, as: UTF8.self), radix: 16).flatMap(Unicode.Scalar.init)
    }
}
