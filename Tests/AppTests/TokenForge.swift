import App
import Library
import Crypto
import Foundation
import Logging
import Storage
import Stories
import TestSupport
import Testing

/// Writes tokens of every sort, good and bad, by means that share no code with the service.
struct TokenForge: Sendable {
    static let issuer = "https://id.example.org"
    static let audience = "https://stories.example.org"

    let fixture: ServiceFixture
    let ed25519: Curve25519.Signing.PrivateKey
    let p256: P256.Signing.PrivateKey
    /// The claims of a good token from outside.
    let claims: [String: String?]

    /// A forge at the time it is there, with the keys of an earlier one if given.
    init(_ fixture: ServiceFixture, like other: TokenForge? = nil) {
        self.fixture = fixture
        ed25519 = other?.ed25519 ?? Curve25519.Signing.PrivateKey()
        p256 = other?.p256 ?? P256.Signing.PrivateKey()
        let now = fixture.clock.now.milliseconds / 1_000
        claims = [
            "iss": "\"\(TokenForge.issuer)\"", "aud": "\"\(TokenForge.audience)\"", "sub": "\"ana\"", "iat": "\(now)",
            "exp": "\(now + 600)",
        ]
    }

    /// The key set with both keys, `ed` and `ec`.
    var keySet: String {
        let x963 = p256.publicKey.x963Representation
        let ed = base64url(ed25519.publicKey.rawRepresentation)
        let (x, y) = (base64url(x963[x963.startIndex + 1..<x963.startIndex + 33]), base64url(x963.suffix(32)))
        return """
            {"keys":[{"kty":"OKP","crv":"Ed25519","kid":"ed","x":"\(ed)","use":"sig","alg":"EdDSA"},
            {"kty":"EC","crv":"P-256","kid":"ec","x":"\(x)","y":"\(y)"}]}
            """
    }

    /// Accounts that believe the outside issuer.
    func accounts(trustsScopes: Bool = false) async throws -> Accounts {
        let path = fixture.folder.path("keys.json")
        try Data(keySet.utf8).write(to: URL(fileURLWithPath: path))
        return try await accounts(path: path, trustsScopes: trustsScopes)
    }

    func accounts(path: String, trustsScopes: Bool = false) async throws -> Accounts {
        let file = try await KeySetFile(
            path: path,
            issuer: TokenForge.issuer,
            audience: TokenForge.audience,
            now: fixture.clock.now,
            logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
        )
        return await Accounts(
            store: fixture.library.store,
            now: { [clock = fixture.clock] in clock.now },
            outsideIssuer: file,
            trustsScopes: trustsScopes
        )
    }

    /// The claims of a good token with some replaced, or left out where `nil`.
    func claims(_ changes: [String: String?]) -> String {
        let all = claims.merging(changes) { $1 }
        let members = all.sorted { $0.key < $1.key }.compactMap { name, value in value.map { "\"\(name)\":\($0)" } }
        return "{" + members.joined(separator: ",") + "}"
    }

    static func header(_ algorithm: String, kid: String?, type: String? = "at+jwt", more: String = "") -> String {
        let members =
            ["\"alg\":\"\(algorithm)\""] + (type.map { ["\"typ\":\"\($0)\""] } ?? [])
            + (kid.map { ["\"kid\":\"\($0)\""] } ?? [])
        return "{" + members.joined(separator: ",") + more + "}"
    }

    /// A token signed with the Ed25519 key.
    func signed(
        header: String = TokenForge.header("EdDSA", kid: "ed"),
        _ changes: [String: String?] = [:]
    ) throws -> String {
        try signed(header: header, claims: claims(changes))
    }

    func signed(header: String, claims: String) throws -> String {
        let text = base64url(Data(header.utf8)) + "." + base64url(Data(claims.utf8))
        return text + "." + base64url(try ed25519.signature(for: Data(text.utf8)))
    }

    /// A token signed with the P-256 key.
    func signedES256(
        header: String = TokenForge.header("ES256", kid: "ec"),
        _ changes: [String: String?] = [:]
    ) throws
        -> String
    {
        let text = base64url(Data(header.utf8)) + "." + base64url(Data(claims(changes).utf8))
        return text + "." + base64url(try p256.signature(for: Data(text.utf8)).rawRepresentation)
    }

    /// A token signed with a shared secret.
    static func hs256(header: String, claims: String, secret: Data) -> String {
        let text = base64url(Data(header.utf8)) + "." + base64url(Data(claims.utf8))
        let code = HMAC<SHA256>.authenticationCode(for: Data(text.utf8), using: SymmetricKey(data: secret))
        return text + "." + base64url(Data(code))
    }

    /// Claims such as the built-in issuer writes.
    func builtIn(_ changes: [String: String?] = [:]) -> String {
        let own: [String: String?] = ["iss": "\"waymark\"", "aud": "\"waymark\"", "scope": "\"stories:read\""]
        return claims(own.merging(changes) { $1 })
    }

    /// The secret of the built-in issuer.
    var secret: Data { Data(fixture.library.store.keys[.tokens]) }
}

func base64url(_ data: Data) -> String {
    data.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
}
