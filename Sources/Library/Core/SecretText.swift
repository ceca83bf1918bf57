import Crypto

/// A secret in words that people and programs can tell at a glance: `PREFIX_ID_SECRETCRC`, in base62.
///
/// The id is public and finds the row; the checksum lets a mistyped or shortened one be refused without a look-up, and
/// scanners find one that was published by mistake. API keys begin with `wm_live_`, refresh tokens with `wm_refresh_`.
package struct SecretText: Sendable {
    /// What a secret is for.
    package enum Kind: String, Sendable {
        /// An API key.
        case key = "wm_live_"
        /// A refresh token.
        case refresh = "wm_refresh_"

        /// How many characters the id has.
        fileprivate var idLength: Int { self == .key ? 8 : 16 }
    }

    private static let secretLength = 43
    private static let checksumLength = 6

    /// The public part.
    package let id: String
    /// The whole, to be shown once.
    package let text: String

    /// SHA-256 of the whole, which is all that is stored.
    package var digest: [UInt8] { Array(SHA256.hash(data: Array(text.utf8))) }

    /// Writes 32 secret bytes with an id.
    package init(_ kind: Kind, id: String, secret: [UInt8]) {
        let body = kind.rawValue + id + "_" + Base62.encode(secret, length: SecretText.secretLength)
        self.id = id
        text = body + SecretText.checksum(body)
    }

    /// Makes a new secret.
    package static func new(_ kind: Kind, random: RandomSource) -> SecretText {
        SecretText(kind, id: newID(length: kind.idLength, random: random), secret: random.bytes(32))
    }

    /// Reads a secret; `nil` when it is none of that kind or was changed on the way.
    package init?(parsing text: some StringProtocol, kind: Kind) {
        let length = kind.rawValue.utf8.count + kind.idLength + 1 + SecretText.secretLength + SecretText.checksumLength
        guard text.utf8.count == length, text.hasPrefix(kind.rawValue), text.utf8.allSatisfy({ $0 < 0x80 }) else {
            return nil
        }
        let body = String(text.dropLast(SecretText.checksumLength))
        let rest = body.dropFirst(kind.rawValue.count)
        let id = String(rest.prefix(kind.idLength))
        let secret = rest.dropFirst(kind.idLength + 1)
        guard rest.dropFirst(kind.idLength).first == "_", Base62.isMadeOf(id), Base62.isMadeOf(secret),
            text.hasSuffix(SecretText.checksum(body))
        else { return nil }
        self.id = id
        self.text = String(text)
    }

    /// A random id in base62.
    private static func newID(length: Int, random: RandomSource) -> String {
        var random = random
        return String((0..<length).map { _ in Base62.digits[Int.random(in: 0..<62, using: &random)] })
    }

    private static func checksum(_ text: String) -> String {
        let crc = CRC32.of(text.utf8)
        return Base62.encode((0..<4).map { UInt8(truncatingIfNeeded: crc >> (24 - 8 * $0)) }, length: checksumLength)
    }
}

/// Numbers in the digits 0–9, A–Z, a–z.
enum Base62: Sendable {
    static let digits: [Character] = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")

    /// Bytes as one number of `length` digits, the most significant first; what does not fit is lost.
    static func encode(_ bytes: [UInt8], length: Int) -> String {
        var number = bytes
        let digits = (0..<length)
            .map { _ in
                var remainder = 0
                for index in number.indices {
                    let value = remainder << 8 | Int(number[index])
                    number[index] = UInt8(value / 62)
                    remainder = value % 62
                }
                return Base62.digits[remainder]
            }
        return String(digits.reversed())
    }

    /// Whether every character is a digit.
    static func isMadeOf(_ text: some StringProtocol) -> Bool {
        text.utf8.allSatisfy {
            switch $0 {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "a")...UInt8(ascii: "z"):
                true
            default: false
            }
        }
    }
}

/// The checksum of ISO 3309, as zip and Ethernet have it.
enum CRC32: Sendable {
    static func of(_ bytes: some Sequence<UInt8>) -> UInt32 {
        var crc = ~UInt32(0)
        for byte in bytes {
            crc ^= UInt32(byte)
            for _ in 0..<8 {
                let carries = crc & 1 == 1
                crc >>= 1
                if carries { crc ^= 0xEDB8_8320 }
            }
        }
        return ~crc
    }
}
