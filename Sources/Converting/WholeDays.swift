/// Days that a format can only write as moments.
enum WholeDays {
    /// Returns JSON in which values such as `"1936-07-04T00:00:00"` are days, `"1936-07-04"`, as they were given.
    ///
    /// - Complexity: O(bytes).
    static func shortened(_ json: [UInt8]) -> [UInt8] {
        let midnight = Array("T00:00:00\"".utf8)
        var (shortened, copied, next) = ([UInt8](), 0, 0)
        shortened.reserveCapacity(json.count)
        while let found = json[next...].firstIndex(of: UInt8(ascii: "T")) {
            next = found + 1
            guard json[found...].starts(with: midnight), isDay(json[..<found]) else { continue }
            shortened += json[copied..<found]
            // The quotation mark stays.
            copied = found + midnight.count - 1
        }
        return shortened + json[copied...]
    }

    /// Returns whether text ends with a quotation mark and a day.
    private static func isDay(_ text: ArraySlice<UInt8>) -> Bool {
        let form = Array("\"0000-00-00".utf8)
        guard text.count >= form.count else { return false }
        return zip(text.suffix(form.count), form)
            .allSatisfy { byte, expected in
                expected == UInt8(ascii: "0") ? (0x30...0x39).contains(byte) : byte == expected
            }
    }
}
