/// The value of a `Host` header (RFC 9110 §7.2).
enum HostName: Sendable {
    private static let longest = 255

    /// Returns whether a text is `host` or `host:port`, without characters that are special in URLs or markup.
    ///
    /// A host is a name of letters, digits, dots, hyphens and underscores, an IPv4 address, or an IPv6 address in
    /// brackets. Responses may repeat it, and a proxy could read anything else differently than the service.
    static func isValid(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        guard (1...longest).contains(bytes.count) else { return false }
        let end: Int
        if bytes[0] == UInt8(ascii: "[") {
            guard let close = bytes.firstIndex(of: UInt8(ascii: "]")), close > 2, bytes[1..<close].allSatisfy(isOfIPv6)
            else { return false }
            end = close + 1
        } else {
            end = bytes.firstIndex(of: UInt8(ascii: ":")) ?? bytes.count
            guard end > 0, bytes[..<end].allSatisfy(isOfName) else { return false }
        }
        return end == bytes.count || bytes[end] == UInt8(ascii: ":") && isPort(bytes[(end + 1)...])
    }

    private static func isPort(_ digits: ArraySlice<UInt8>) -> Bool {
        (1...5).contains(digits.count) && digits.allSatisfy(isDigit)
            && digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) } <= 65_535
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    private static func isOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "-"),
            UInt8(ascii: "."), UInt8(ascii: "_"):
            true
        default: isDigit(byte)
        }
    }

    private static func isOfIPv6(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "f"), UInt8(ascii: "A")...UInt8(ascii: "F"), UInt8(ascii: ":"),
            UInt8(ascii: "."):
            true
        default: isDigit(byte)
        }
    }
}
