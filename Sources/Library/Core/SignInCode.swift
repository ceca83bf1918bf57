import Crypto
package import Storage

/// A code that signs one person in once: short, to be read out and typed, or long, to be followed in a link.
///
/// It is written in Crockford's base 32 (crockford.com/base32.html), which has no letters that look like digits. Only a
/// digest under a key outside the database is stored.
package struct SignInCode: Sendable {
    /// The number of characters of a code.
    package enum Length: Int, CaseIterable, Sendable {
        /// 50 bits; attempts are limited for all callers together.
        case typed = 10
        /// 130 bits; nobody guesses it.
        case linked = 26
    }

    private static let digits = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)

    /// The characters, in upper case and without hyphens.
    package let text: String
    /// The length.
    package let length: Length

    /// Creates a random code.
    package init(_ length: Length, random: RandomSource) {
        // 256 is a multiple of 32, so every digit is equally likely.
        let characters = random.bytes(length.rawValue).map { SignInCode.digits[Int($0 & 31)] }
        text = String(decoding: characters, as: UTF8.self)
        self.length = length
    }

    /// Parses a code as people type it: in any case, with spaces and hyphens, and with O for 0 and I or L for 1.
    ///
    /// Returns `nil` if it cannot be a code.
    package init?(typed: String) {
        guard typed.utf8.count <= 100 else { return nil }
        var characters: [UInt8] = []
        for byte in typed.utf8 {
            let upper = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) ? byte & 0xDF : byte
            switch upper {
            case UInt8(ascii: " "), UInt8(ascii: "-"): continue
            case UInt8(ascii: "O"): characters.append(UInt8(ascii: "0"))
            case UInt8(ascii: "I"), UInt8(ascii: "L"): characters.append(UInt8(ascii: "1"))
            default:
                guard SignInCode.digits.contains(upper) else { return nil }
                characters.append(upper)
            }
        }
        guard let length = Length(rawValue: characters.count) else { return nil }
        text = String(decoding: characters, as: UTF8.self)
        self.length = length
    }

    /// The code in two halves joined by a hyphen, for people.
    package var shown: String {
        guard length == .typed else { return text }
        return "\(text.prefix(5))-\(text.suffix(5))"
    }

    /// Returns the digest by which it is stored.
    package func digest(keys: StoreKeys) -> [UInt8] {
        let message = Array("waymark sign-in code 1|\(text)".utf8)
        return Array(HMAC<SHA256>.authenticationCode(for: message, using: SymmetricKey(data: keys[.tokens])))
    }
}
