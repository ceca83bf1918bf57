package import Crypto
import Foundation

/// A key that verifies signatures; the algorithm depends on the key alone.
package enum VerificationKey: Sendable {
    /// A shared secret (HMAC with SHA-256), used by the built-in issuer.
    case secret(SymmetricKey)
    /// Ed25519 (RFC 8032).
    case ed25519(Curve25519.Signing.PublicKey)
    /// ECDSA on P-256 with SHA-256.
    case p256(P256.Signing.PublicKey)

    /// The names by which a token may refer to the algorithm.
    ///
    /// The algorithm is bound to the key and never chosen by the token (RFC 8725 §3.1).
    var algorithms: Set<String> {
        switch self {
        case .secret: ["HS256"]
        // RFC 9864 registers a separate name for EdDSA on this curve.
        case .ed25519: ["EdDSA", "Ed25519"]
        case .p256: ["ES256"]
        }
    }

    /// Returns whether `signature` was made over `bytes` with this key.
    func isValid(_ signature: [UInt8], of bytes: [UInt8]) -> Bool {
        switch self {
        case .secret(let key):
            return HMAC<SHA256>.isValidAuthenticationCode(signature, authenticating: bytes, using: key)
        case .ed25519(let key):
            return signature.count == 64 && key.isValidSignature(signature, for: bytes)
        case .p256(let key):
            guard signature.count == 64, let parsed = try? P256.Signing.ECDSASignature(rawRepresentation: signature)
            else { return false }
            return key.isValidSignature(parsed, for: Data(bytes))
        }
    }
}

/// An issuer of tokens, with the audience that its tokens must name.
package struct TokenIssuer: Hashable, Sendable {
    /// The required value of `iss`.
    let name: String
    /// The audience that `aud` must contain.
    let audience: String
    /// Whether it is this service itself; then expiry is checked without tolerance.
    let isBuiltIn: Bool

    /// This service.
    static let builtIn = TokenIssuer(name: Accounts.issuer, audience: Accounts.audience, isBuiltIn: true)
}
