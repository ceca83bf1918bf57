import Foundation

/// Base64 for addresses and tokens (RFC 4648 §5), without padding.
enum Base64URL: Sendable {
    /// The text of bytes.
    static func encode(_ bytes: some Sequence<UInt8>) -> String {
        Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    /// The bytes of a text in its one right form.
    ///
    /// Anything else is `nil`: other characters, padding, a length no bytes have, bits set beyond the last byte. So no
    /// two texts stand for the same bytes.
    static func decode(_ text: some Sequence<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        var (bits, count) = (UInt32(0), 0)
        for character in text {
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

    private static func value(of character: UInt8) -> UInt32? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(character - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(character - UInt8(ascii: "a")) + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(character - UInt8(ascii: "0")) + 52
        case UInt8(ascii: "-"): 62
        case UInt8(ascii: "_"): 63
        default: nil
        }
    }
}

/// Whether two secrets are the same, in a time that tells only their lengths.
func isSameSecret(_ a: [UInt8], _ b: [UInt8]) -> Bool {
    guard a.count == b.count else { return false }
    return zip(a, b).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
}
