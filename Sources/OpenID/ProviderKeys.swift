import Formats
import JWTKit

/// The public keys with which a provider signs (RFC 7517), each made for one algorithm.
///
/// The signatures are checked by jwt-kit: RSA and elliptic curves by others' well-kept code, not by ours.
public struct ProviderKeys: Sendable {
    /// The algorithms that are accepted; neither `none` nor one with a shared secret.
    public enum Algorithm: String, CaseIterable, Sendable {
        /// RSA with SHA-256.
        case rs256 = "RS256"
        /// P-256 with SHA-256.
        case es256 = "ES256"
        /// Ed25519.
        case edDSA = "EdDSA"
    }

    /// The maximum size of a key set in bytes.
    public static let mostBytes = 262_144
    /// The maximum number of keys in a set.
    public static let mostKeys = 100
    /// The lengths of RSA moduli that are accepted, in bytes: 2048 to 8192 bits.
    private static let modulusBytes = 256...1_024

    private struct Key: Sendable {
        let id: String?
        let algorithm: Algorithm
        let verifier: any JWTAlgorithm
    }

    private var keys: [Key] = []

    /// The number of keys that can be used.
    public var count: Int { keys.count }

    /// Reads a key set; keys for other uses and of other kinds are left out, as providers publish them too.
    ///
    /// - Throws: ``OpenIDError/keys`` if it is not a key set, too large, or has no key that can be used.
    public init(parsing bytes: [UInt8]) async throws(OpenIDError) {
        guard
            let json = try? JSONValue(
                parsing: bytes,
                limits: .init(bytes: ProviderKeys.mostBytes, depth: 8, allowsRepeatedNames: false)
            ), let entries = json["keys"]?.array, (1...ProviderKeys.mostKeys).contains(entries.count)
        else { throw .keys }
        for entry in entries {
            guard let key = await ProviderKeys.key(entry) else { continue }
            // Of two keys with one id for one algorithm, nobody could say which is meant.
            guard key.id == nil || !keys.contains(where: { $0.id == key.id && $0.algorithm == key.algorithm }) else {
                throw .keys
            }
            keys.append(key)
        }
        guard !keys.isEmpty else { throw .keys }
    }

    /// Checks the signature of a token whose header names an algorithm and a key.
    ///
    /// Without a key id, the token is accepted only if one key alone fits the algorithm (OpenID Connect Core §10.1).
    ///
    /// - Throws: ``OpenIDError/token(_:)``: unknown key, or signature.
    func check(_ signature: [UInt8], of signed: [UInt8], _ algorithm: Algorithm, key id: String?) throws(OpenIDError) {
        let fitting = keys.filter { $0.algorithm == algorithm && (id == nil || $0.id == id) }
        guard let key = fitting.first, fitting.count == 1 else { throw .token(.unknownKey) }
        guard (try? key.verifier.verify(signature, signs: signed)) == true else { throw .token(.signature) }
    }

    private static func key(_ entry: JSONValue) async -> Key? {
        let secrets = ["d", "p", "q", "k"]
        guard entry.object != nil, secrets.allSatisfy({ entry[$0] == nil }),
            entry["use"].map({ $0 == .string("sig") }) ?? true,
            entry["key_ops"]?.array.map({ $0.contains(.string("verify")) }) ?? true
        else { return nil }
        let collection = JWTKeyCollection()
        let algorithm: Algorithm
        switch (entry["kty"]?.string, entry["crv"]?.string) {
        case ("RSA", _):
            guard let n = number("n", of: entry, in: modulusBytes), let e = number("e", of: entry, in: 1...4),
                let key = try? Insecure.RSA.PublicKey(modulus: n, exponent: e)
            else { return nil }
            algorithm = .rs256
            await collection.add(rsa: key, digestAlgorithm: .sha256)
        case ("EC", "P-256"):
            guard let x = number("x", of: entry, in: 32...32), let y = number("y", of: entry, in: 32...32),
                let key = try? ES256PublicKey(parameters: (x, y))
            else { return nil }
            algorithm = .es256
            await collection.add(ecdsa: key)
        case ("OKP", "Ed25519"):
            guard let x = number("x", of: entry, in: 32...32), let key = try? EdDSA.PublicKey(x: x, curve: .ed25519)
            else {
                return nil
            }
            algorithm = .edDSA
            await collection.add(eddsa: key)
        default: return nil
        }
        guard entry["alg"].map({ $0 == .string(algorithm.rawValue) }) ?? true,
            let verifier = try? await collection.getKey()
        else { return nil }
        return Key(id: entry["kid"]?.string, algorithm: algorithm, verifier: verifier)
    }

    /// Returns a number in base64url if it is canonical and has a length in this range, in bytes.
    private static func number(_ name: String, of entry: JSONValue, in lengths: ClosedRange<Int>) -> String? {
        guard let text = entry[name]?.string, let bytes = Base64.decodeURL(text.utf8), lengths.contains(bytes.count)
        else {
            return nil
        }
        return text
    }
}
