/// Base64 (RFC 4648) in both alphabets.
public enum Base64: Sendable {
    /// Encodes bytes in the standard alphabet (with `+` and `/`), with padding.
    public static func encode(_ bytes: some Sequence<UInt8>) -> String {
        let text = encode(bytes, alphabet: standard)
        return text + String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
    }

    /// Encodes bytes in the URL-safe alphabet (with `-` and `_`), without padding.
    public static func encodeURL(_ bytes: some Sequence<UInt8>) -> String { encode(bytes, alphabet: urlSafe) }

    /// Decodes a text in either alphabet, padded or not.
    ///
    /// Returns `nil` if the text has other characters or an impossible length, or if unused bits after the last byte
    /// are set.
    public static func decode(_ text: some StringProtocol) -> [UInt8]? {
        var characters = Array(text.utf8)
        if characters.count.isMultiple(of: 4) {
            for _ in 0..<2 where characters.last == UInt8(ascii: "=") { characters.removeLast() }
        }
        return bytes(of: characters)
    }

    /// Decodes a text in the canonical form of the URL-safe alphabet (RFC 4648 §5), without padding.
    ///
    /// Returns `nil` for anything else, so that no two texts represent the same bytes.
    public static func decodeURL(_ text: some Sequence<UInt8>) -> [UInt8]? {
        let characters = Array(text)
        return characters.contains { $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "/") } ? nil : bytes(of: characters)
    }

    private static func bytes(of characters: [UInt8]) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(characters.count * 3 / 4)
        var (bits, count) = (UInt32(0), 0)
        for character in characters {
            guard let value = value(of: character) else { return nil }
            bits = bits << 6 | value
            count += 6
            guard count >= 8 else { continue }
            count -= 8
            bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
            bits &= (1 << UInt32(count)) - 1
        }
        return count < 6 && bits == 0 ? bytes : nil
    }

    private static let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
    private static let standard = Array((letters + "+/").utf8)
    private static let urlSafe = Array((letters + "-_").utf8)

    private static func encode(_ bytes: some Sequence<UInt8>, alphabet: [UInt8]) -> String {
        var text: [UInt8] = []
        var (bits, count) = (UInt32(0), 0)
        for byte in bytes {
            bits = bits << 8 | UInt32(byte)
            count += 8
            while count >= 6 {
                count -= 6
                text.append(alphabet[Int(bits >> UInt32(count) & 63)])
            }
            bits &= (1 << UInt32(count)) - 1
        }
        if count > 0 { text.append(alphabet[Int(bits << UInt32(6 - count) & 63)]) }
        return String(decoding: text, as: UTF8.self)
    }

    private static func value(of character: UInt8) -> UInt32? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(character - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(character - UInt8(ascii: "a")) + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(character - UInt8(ascii: "0")) + 52
        case UInt8(ascii: "+"), UInt8(ascii: "-"): 62
        case UInt8(ascii: "/"), UInt8(ascii: "_"): 63
        default: nil
        }
    }
}
