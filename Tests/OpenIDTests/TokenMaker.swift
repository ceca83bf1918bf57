import CryptoExtras
import Crypto
import Formats
import JWTKit

/// Makes keys and tokens as a provider does, with jwt-kit's signing half; headers and claims are as the test says.
struct TokenMaker: Sendable {
    static let issuer = "https://login.example.org"
    static let client = "waymark"
    static let nonce = "n-0S6_WzA2Mj"
    static let now = 1_700_000_000.0

    let rsa: any JWTAlgorithm
    let ec: any JWTAlgorithm
    let ed: any JWTAlgorithm
    /// The members of each public key, by its id.
    let members: [String: String]
    /// The public RSA key as a text, with which forgers sign by HMAC.
    let pem: String

    init() async throws {
        let rsaKey = try Insecure.RSA.PrivateKey(backing: try _RSA.Signing.PrivateKey(keySize: .bits2048))
        let (ecKey, edKey) = (P256.Signing.PrivateKey(), Curve25519.Signing.PrivateKey())
        rsa = try await JWTKeyCollection().add(rsa: rsaKey, digestAlgorithm: .sha256).getKey()
        ec = try await JWTKeyCollection().add(ecdsa: try ES256PrivateKey(backing: ecKey)).getKey()
        ed = try await JWTKeyCollection().add(eddsa: EdDSA.PrivateKey(backing: edKey)).getKey()
        let numbers = try rsaKey.publicKey.getKeyPrimitives()
        let point = [UInt8](ecKey.publicKey.x963Representation)
        let (n, e) = (Base64.encodeURL(numbers.modulus), Base64.encodeURL(numbers.publicExponent))
        let (x, y) = (Base64.encodeURL(point[1..<33]), Base64.encodeURL(point[33...]))
        members = [
            "r": #""kty":"RSA","n":"\#(n)","e":"\#(e)""#,
            "c": #""kty":"EC","crv":"P-256","x":"\#(x)","y":"\#(y)""#,
            "d": #""kty":"OKP","crv":"Ed25519","x":"\#(Base64.encodeURL(edKey.publicKey.rawRepresentation))""#,
        ]
        pem = rsaKey.publicKey.pemRepresentation
    }

    /// A key set with these keys.
    func set(_ ids: [String] = ["r", "c", "d"], more: [String] = []) -> [UInt8] {
        let keys = ids.map { #"{"kid":"\#($0)","use":"sig",\#(members[$0] ?? "")}"# } + more
        return Array(#"{"keys":[\#(keys.joined(separator: ","))]}"#.utf8)
    }

    /// Good claims with some replaced, or left out where `nil`.
    static func claims(_ changes: [String: String?] = [:]) -> String {
        let all: [String: String?] = [
            "iss": #""\#(issuer)""#, "aud": #""\#(client)""#, "sub": #""248289761001""#, "nonce": #""\#(nonce)""#,
            "iat": "\(Int(now))", "exp": "\(Int(now) + 300)",
        ]
        let members = all.merging(changes) { $1 }.sorted { $0.key < $1.key }
            .compactMap { name, value in value.map { #""\#(name)":\#($0)"# } }
        return "{" + members.joined(separator: ",") + "}"
    }

    /// A token signed by one of the keys.
    func token(
        header: String = #"{"alg":"RS256","kid":"r","typ":"JWT"}"#,
        _ claims: String = TokenMaker.claims(),
        by key: (any JWTAlgorithm)? = nil
    ) throws -> String {
        let text = Base64.encodeURL(Array(header.utf8)) + "." + Base64.encodeURL(Array(claims.utf8))
        return text + "." + Base64.encodeURL(try (key ?? rsa).sign(Array(text.utf8)))
    }
}
