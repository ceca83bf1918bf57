import Crypto
import Formats

/// The secrets of one sign-in, which live in the browser that began it and nowhere else.
public struct SignInAttempt: Hashable, Sendable {
    /// Comes back with the answer, and shows that this browser began the sign-in.
    public let state: String
    /// Comes back in the ID token, and shows that the token answers this sign-in.
    public let nonce: String
    /// Proves to the token endpoint that whoever exchanges the code began the sign-in (PKCE, RFC 7636).
    public let verifier: String

    /// The number of random bytes that an attempt needs.
    public static let randomBytes = 96

    /// Creates an attempt from its parts.
    public init(state: String, nonce: String, verifier: String) {
        self.state = state
        self.nonce = nonce
        self.verifier = verifier
    }

    /// Creates an attempt from ``randomBytes`` random bytes; missing ones count as zero.
    public init(random bytes: [UInt8]) {
        let bytes = bytes + [UInt8](repeating: 0, count: max(0, SignInAttempt.randomBytes - bytes.count))
        state = Base64.encodeURL(bytes[0..<32])
        nonce = Base64.encodeURL(bytes[32..<64])
        verifier = Base64.encodeURL(bytes[64..<96])
    }

    /// The challenge that the verifier answers: its SHA-256.
    public var challenge: String { Base64.encodeURL(SHA256.hash(data: Array(verifier.utf8))) }
}

/// This service as the provider knows it.
public struct ProviderClientID: Hashable, Sendable {
    /// The id.
    public let id: String
    /// The secret; `nil` for a public client, which has PKCE alone.
    public let secret: String?
    /// The address to which browsers come back.
    public let redirect: String

    /// Creates a value from its parts.
    public init(id: String, secret: String?, redirect: String) {
        self.id = id
        self.secret = secret
        self.redirect = redirect
    }
}

extension ProviderMetadata {
    /// Returns the address to which a browser is sent to sign in.
    public func authorizationAddress(of attempt: SignInAttempt, for client: ProviderClientID) -> String {
        let fields = [
            ("response_type", "code"), ("client_id", client.id), ("redirect_uri", client.redirect),
            ("scope", "openid email profile"), ("state", attempt.state), ("nonce", attempt.nonce),
            ("code_challenge", attempt.challenge), ("code_challenge_method", "S256"),
        ]
        return authorization.text + (authorization.hasQuery ? "&" : "?") + FormText.encode(fields)
    }
}

/// Text in the form of HTML forms (`application/x-www-form-urlencoded`).
public enum FormText: Sendable {
    /// Returns fields as one text.
    public static func encode(_ fields: [(name: String, value: String)]) -> String {
        fields.map { "\(escaped($0.name))=\(escaped($0.value))" }.joined(separator: "&")
    }

    /// Percent-encodes all but the unreserved characters of RFC 3986.
    static func escaped(_ text: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: bytes.append(byte)
            case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"): bytes.append(byte)
            default: bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
