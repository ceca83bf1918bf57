import Formats
import Crypto

/// A key that signs webhooks (Standard Webhooks).
public enum WebhookKey: Hashable, Sendable, CustomStringConvertible {
    /// A shared secret of 24 to 64 bytes, for HMAC-SHA256 (`v1`).
    case secret([UInt8])
    /// The 32-byte seed of an Ed25519 key (`v1a`).
    case signing(seed: [UInt8])

    /// Parses `whsec_…` or `whsk_…`; returns `nil` for any other text, and for a signing key whose public half does not
    /// match its seed.
    public init?(_ text: String) {
        if text.hasPrefix("whsec_") {
            guard let bytes = Base64.decode(text.dropFirst(6)), (24...64).contains(bytes.count) else { return nil }
            self = .secret(bytes)
        } else if text.hasPrefix("whsk_") {
            guard let bytes = Base64.decode(text.dropFirst(5)), bytes.count == 32 || bytes.count == 64 else {
                return nil
            }
            let seed = Array(bytes.prefix(32))
            guard let publicKey = WebhookKey.publicKey(of: seed) else { return nil }
            if bytes.count == 64, Array(bytes.suffix(32)) != publicKey { return nil }
            self = .signing(seed: seed)
        } else {
            return nil
        }
    }

    /// Generates a shared secret of 32 bytes; the generator must be cryptographically secure.
    public static func newSecret(using generator: inout some RandomNumberGenerator) -> WebhookKey {
        .secret(generator.bytes(32))
    }

    /// Generates a signing key; the generator must be cryptographically secure.
    public static func newSigningKey(using generator: inout some RandomNumberGenerator) -> WebhookKey {
        .signing(seed: generator.bytes(32))
    }

    /// The encoded key: `whsec_…`, or `whsk_…` with the seed followed by the public key.
    public var text: String {
        switch self {
        case .secret(let bytes): "whsec_" + Base64.encode(bytes)
        case .signing(let seed): "whsk_" + Base64.encode(seed + (WebhookKey.publicKey(of: seed) ?? []))
        }
    }

    /// The encoded public key, `whpk_…`; `nil` for a shared secret.
    public var publicText: String? {
        guard case .signing(let seed) = self, let key = WebhookKey.publicKey(of: seed) else { return nil }
        return "whpk_" + Base64.encode(key)
    }

    /// Returns the signature of a message for the `webhook-signature` header, `v1,…` or `v1a,…`.
    ///
    /// - Parameters:
    ///   - id: the message's id.
    ///   - timestamp: the time of the attempt in seconds since 1970.
    ///   - body: the body, byte for byte.
    /// - Returns: the version, a comma and the signature in base64.
    /// - Throws: ``ChannelError/badKey`` if the key cannot sign.
    public func signature(id: String, timestamp: Int64, body: [UInt8]) throws -> String {
        let signed = Array("\(id).\(timestamp).".utf8) + body
        switch self {
        case .secret(let bytes):
            let code = HMAC<SHA256>.authenticationCode(for: signed, using: SymmetricKey(data: bytes))
            return "v1," + Base64.encode(Array(code))
        case .signing(let seed):
            guard let key = try? Curve25519.Signing.PrivateKey(rawRepresentation: seed),
                let signature = try? key.signature(for: signed)
            else { throw ChannelError.badKey }
            return "v1a," + Base64.encode(Array(signature))
        }
    }

    /// The type of key; never the key itself.
    public var description: String {
        switch self {
        case .secret: "shared secret"
        case .signing: "signing key"
        }
    }

    private static func publicKey(of seed: [UInt8]) -> [UInt8]? {
        (try? Curve25519.Signing.PrivateKey(rawRepresentation: seed)).map { Array($0.publicKey.rawRepresentation) }
    }
}

extension RandomNumberGenerator {
    /// Returns `count` random bytes.
    mutating func bytes(_ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count)
        while bytes.count < count {
            let word = next()
            for shift in stride(from: 0, to: 64, by: 8) where bytes.count < count {
                bytes.append(UInt8(truncatingIfNeeded: word >> UInt64(shift)))
            }
        }
        return bytes
    }
}
