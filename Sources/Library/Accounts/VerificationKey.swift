package import Crypto
import Foundation

/// A key that signatures are checked with; it alone says by which algorithm.
package enum VerificationKey: Sendable {
    /// A shared secret (HMAC with SHA-256): the built-in issuer's.
    case secret(SymmetricKey)
    /// Ed25519 (RFC 8032).
    case ed25519(Curve25519.Signing.PublicKey)
    /// ECDSA on P-256 with SHA-256.
    case p256(P256.Signing.PublicKey)

    /// The names a token may give the algorithm; it is bound to the key and never chosen by the token (RFC 8725 §3.1).
    var algorithms: Set<String> {
        switch self {
        case .secret: ["HS256"]
        // RFC 9864 gives EdDSA on this curve a name of its own.
        case .ed25519: ["EdDSA", "Ed25519"]
        case .p256: ["ES256"]
        }
    }

    /// Whether `signature` is one of this key over `bytes`.
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

/// Who issued a token, for whom, and how far its clock may be off.
package struct TokenIssuer: Hashable, Sendable {
    /// What `iss` must say.
    let name: String
    /// What `aud` must name.
    let audience: String
    /// Whether it is this service itself.
    let isBuiltIn: Bool

    /// This service.
    static let builtIn = TokenIssuer(name: Accounts.issuer, audience: Accounts.audience, isBuiltIn: true)
}
