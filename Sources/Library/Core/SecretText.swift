import Crypto

/// A secret in a text form that people and programs recognise at a glance: `PREFIX_ID_SECRETCRC`, in base62.
///
/// The id is public and finds the row. The checksum allows rejecting a mistyped or truncated secret without a lookup,
/// and lets scanners find one that was published by mistake. API keys begin with `wm_live_`, refresh tokens with
/// `wm_refresh_`, secrets of the page's sessions with `wm_session_`, and those of links to shared stories with
/// `wm_share_`.
package struct SecretText: Sendable {
    /// The purpose of a secret.
    package enum Kind: String, Sendable {
        /// An API key.
        case key = "wm_live_"
        /// A refresh token.
        case refresh = "wm_refresh_"
        /// The secret of a session of the page.
        case session = "wm_session_"
        /// The secret of a link to a story or a collection.
        case share = "wm_share_"

        /// The number of characters of the id.
        fileprivate var idLength: Int { self == .key ? 8 : 16 }
    }

    private static let secretLength = 43
    private static let checksumLength = 6

    /// The public id.
    package let id: String
    /// The whole text, to be shown once.
    package let text: String

    /// SHA-256 of the whole text; nothing else of the secret is stored.
    package var digest: [UInt8] { Array(SHA256.hash(data: Array(text.utf8))) }

    /// Creates the text of 32 secret bytes with an id.
    package init(_ kind: Kind, id: String, secret: [UInt8]) {
        let body = kind.rawValue + id + "_" + Base62.encode(secret, length: SecretText.secretLength)
        self.id = id
        text = body + SecretText.checksum(body)
    }

    /// Creates a new random secret.
    package static func new(_ kind: Kind, random: RandomSource) -> SecretText {
        SecretText(kind, id: newID(length: kind.idLength, random: random), secret: random.bytes(32))
    }

    /// Parses a secret; returns `nil` if it is not of that kind or its checksum is wrong.
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

    /// Returns a random id in base62.
    static func newID(length: Int, random: RandomSource) -> String {
        var random = random
        return String((0..<length).map { _ in Base62.digits[Int.random(in: 0..<62, using: &random)] })
    }

    private static func checksum(_ text: String) -> String {
        let crc = CRC32.of(text.utf8)
        return Base62.encode((0..<4).map { UInt8(truncatingIfNeeded: crc >> (24 - 8 * $0)) }, length: checksumLength)
    }
}

/// Encodes numbers with the digits 0–9, A–Z and a–z.
enum Base62: Sendable {
    static let digits: [Character] = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")

    /// Returns bytes as one number of `length` digits, most significant first; excess leading digits are dropped.
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

    /// Returns whether every character is a base62 digit.
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

/// The CRC-32 checksum (ISO 3309), as used by zip and Ethernet.
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
