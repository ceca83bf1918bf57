package import Crypto
package import JWTKit

/// A key that verifies signatures; the algorithm depends on the key alone.
package enum VerificationKey: Sendable {
    /// A shared secret (HMAC with SHA-256), used by the built-in issuer.
    case secret(SymmetricKey)
    /// Ed25519 (RFC 8032) of an outside issuer, checked by jwt-kit.
    case ed25519(any JWTAlgorithm)
    /// ECDSA on P-256 with SHA-256 of an outside issuer, checked by jwt-kit.
    case p256(any JWTAlgorithm)

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
        case .ed25519(let verifier), .p256(let verifier):
            return signature.count == 64 && (try? verifier.verify(signature, signs: bytes)) == true
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
