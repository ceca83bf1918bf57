import Foundation
import Formats
import JWTKit

/// The public keys of an issuer, from a JSON Web Key Set (RFC 7517).
///
/// The rules about which keys are accepted are ours; jwt-kit makes the keys and checks what they signed.
public struct KeySet: Sendable {
    /// A problem with a key set.
    public struct Failure: Error, Equatable, Sendable, CustomStringConvertible {
        /// One sentence: the key, if only one is affected, the problem and the remedy.
        public let description: String
    }

    /// The maximum number of keys in a set.
    package static let maximumKeys = 100
    /// The maximum size of the file, in bytes.
    static let maximumBytes = 262_144

    /// The keys, keyed by their ids.
    package let keys: [String: VerificationKey]

    /// Parses a set of Ed25519 and P-256 public keys.
    ///
    /// - Throws: ``Failure`` if it is not a key set, or contains symmetric or private keys, keys for other uses, curves
    ///   or algorithms, points that are weak or not on their curve, or ids that are missing, repeated or reserved for
    ///   the built-in issuer.
    public init(parsing bytes: [UInt8]) async throws(Failure) {
        let json: JSONValue
        do {
            json = try JSONValue(
                parsing: bytes,
                limits: .init(bytes: KeySet.maximumBytes, depth: 8, allowsRepeatedNames: false)
            )
        } catch {
            throw Failure(description: "it is not JSON: \(error).")
        }
        guard let entries = json["keys"]?.array, (1...KeySet.maximumKeys).contains(entries.count) else {
            throw Failure(description: "it must contain a list 'keys' of 1 to \(KeySet.maximumKeys) keys.")
        }
        var keys: [String: VerificationKey] = [:]
        for (index, entry) in entries.enumerated() {
            func failure(_ words: String) -> Failure { Failure(description: "keys[\(index)] \(words).") }
            guard let id = entry["kid"]?.string, (1...255).contains(id.utf8.count),
                id.utf8.allSatisfy({ (0x20..<0x7F).contains($0) })
            else { throw failure("needs a 'kid' of 1 to 255 printable ASCII characters; tokens name their key by it") }
            guard id != Accounts.keyID else { throw failure("has the 'kid' of the built-in issuer; choose another") }
            guard keys[id] == nil else { throw failure("has the 'kid' of an earlier key; each key needs its own") }
            do {
                keys[id] = try await KeySet.key(entry)
            } catch {
                throw failure(error.words)
            }
        }
        self.keys = keys
    }

    private struct Refusal: Error {
        let words: String
    }

    private static func key(_ entry: JSONValue) async throws(Refusal) -> VerificationKey {
        for secret in ["d", "p", "q", "k"] where entry[secret] != nil {
            throw Refusal(words: "contains a secret ('\(secret)'); include only public keys, and replace this key")
        }
        if let use = entry["use"], use.string != "sig" {
            throw Refusal(words: "is not a signing key: its 'use' is not 'sig'")
        }
        if let uses = entry["key_ops"]?.array, !uses.contains(.string("verify")) {
            throw Refusal(words: "is not for verifying signatures: its 'key_ops' lack 'verify'")
        }
        let key = try await publicKey(entry)
        if let algorithm = entry["alg"], !key.algorithms.contains(algorithm.string ?? "") {
            throw Refusal(
                words: "has an 'alg' that does not fit it; use \(key.algorithms.sorted().joined(separator: " or "))"
            )
        }
        return key
    }

    private static func publicKey(_ entry: JSONValue) async throws(Refusal) -> VerificationKey {
        // A collection of one key, because only a collection gives out what checks signatures.
        let collection = JWTKeyCollection()
        switch (entry["kty"]?.string, entry["crv"]?.string) {
        case ("OKP", "Ed25519"):
            let x = try coordinate("x", of: entry)
            guard !isWeak(x.bytes), let key = try? EdDSA.PublicKey(x: x.text, curve: .ed25519) else {
                throw Refusal(words: "is a weak or invalid Ed25519 key")
            }
            await collection.add(eddsa: key)
            guard let verifier = try? await collection.getKey() else {
                throw Refusal(words: "is a weak or invalid Ed25519 key")
            }
            return .ed25519(verifier)
        case ("EC", "P-256"):
            let (x, y) = (try coordinate("x", of: entry), try coordinate("y", of: entry))
            guard let key = try? ES256PublicKey(parameters: (x.text, y.text)) else {
                throw Refusal(words: "is not a point on the curve P-256")
            }
            await collection.add(ecdsa: key)
            guard let verifier = try? await collection.getKey() else {
                throw Refusal(words: "is not a point on the curve P-256")
            }
            return .p256(verifier)
        case ("oct", _):
            throw Refusal(words: "is a shared secret; the file may contain only public keys")
        default:
            throw Refusal(words: "is neither OKP with crv Ed25519 nor EC with crv P-256; no other keys are accepted")
        }
    }

    /// A coordinate as it stands in the set, in canonical base64url, and its 32 bytes.
    private struct Coordinate {
        let text: String
        let bytes: [UInt8]
    }

    private static func coordinate(_ name: String, of entry: JSONValue) throws(Refusal) -> Coordinate {
        guard let text = entry[name]?.string, let bytes = Base64.decodeURL(text.utf8), bytes.count == 32 else {
            throw Refusal(words: "must have '\(name)': 32 bytes in base64url")
        }
        return Coordinate(text: text, bytes: bytes)
    }

    /// Returns whether an Ed25519 point has small order, so that anybody could sign for it, or is not canonically
    /// encoded.
    ///
    /// The points of order 1, 2, 4 and 8 have the y-coordinates 1, −1, 0 and two others (RFC 8032 §5.1). Every y of
    /// 2²⁵⁵ − 19 or more also has a smaller encoding.
    private static func isWeak(_ point: [UInt8]) -> Bool {
        var y = point
        y[31] &= 0x7F
        let eighth: [[UInt8]] = [
            [
                0x26, 0xE8, 0x95, 0x8F, 0xC2, 0xB2, 0x27, 0xB0, 0x45, 0xC3, 0xF4, 0x89, 0xF2, 0xEF, 0x98, 0xF0, 0xD5,
                0xDF, 0xAC, 0x05, 0xD3, 0xC6, 0x33, 0x39, 0xB1, 0x38, 0x02, 0x88, 0x6D, 0x53, 0xFC, 0x05,
            ],
            [
                0xC7, 0x17, 0x6A, 0x70, 0x3D, 0x4D, 0xD8, 0x4F, 0xBA, 0x3C, 0x0B, 0x76, 0x0D, 0x10, 0x67, 0x0F, 0x2A,
                0x20, 0x53, 0xFA, 0x2C, 0x39, 0xCC, 0xC6, 0x4E, 0xC7, 0xFD, 0x77, 0x92, 0xAC, 0x03, 0x7A,
            ],
        ]
        let middle = y[1..<31]
        let isSmall = y[0] <= 1 && middle.allSatisfy { $0 == 0 } && y[31] == 0
        let isAtTheEnd = y[0] >= 0xEC && middle.allSatisfy { $0 == 0xFF } && y[31] == 0x7F
        return isSmall || isAtTheEnd || eighth.contains(y)
    }
}
