import Crypto
import Formats

/// An authenticator in software, which can also answer wrongly: makes one passkey and signs with it.
///
/// It writes its bytes by hand after WebAuthn §6.1 and RFC 9053, so that nothing of what reads them helps to write them.
package struct SoftwareAuthenticator: Sendable {
    /// User present and user verified.
    package static let present: UInt8 = 0x01, verified: UInt8 = 0x04

    /// The id of its passkey.
    package var credential: [UInt8]
    /// How it knows the user.
    package var handle: [UInt8]
    /// The host name for which the passkey is.
    package var party: String
    /// The flags that it sets: present and verified.
    package var flags = present | verified
    /// The counter of signatures.
    package var counter: UInt32 = 0
    /// The public key, in COSE.
    package let key: [UInt8]
    private let sign: @Sendable ([UInt8]) throws -> [UInt8]

    /// Creates an authenticator from a public key in COSE and a function that signs.
    package init(
        credential: [UInt8],
        handle: [UInt8],
        party: String,
        key: [UInt8],
        sign: @escaping @Sendable ([UInt8]) throws -> [UInt8]
    ) {
        (self.credential, self.handle, self.party, self.key, self.sign) = (credential, handle, party, key, sign)
    }

    /// Returns one that signs with ECDSA on P-256.
    package static func es256(
        credential: [UInt8] = Array(1...32),
        handle: [UInt8] = Array(repeating: 7, count: 32),
        party: String
    ) -> SoftwareAuthenticator {
        let secret = P256.Signing.PrivateKey()
        let point = Array(secret.publicKey.rawRepresentation)
        let key =
            CBOR.map(5) + CBOR.number(1) + CBOR.number(2) + CBOR.number(3) + CBOR.number(-7) + CBOR.number(-1)
            + CBOR.number(1) + CBOR.number(-2) + CBOR.data(point[..<32]) + CBOR.number(-3) + CBOR.data(point[32...])
        return SoftwareAuthenticator(credential: credential, handle: handle, party: party, key: key) {
            Array(try secret.signature(for: $0).derRepresentation)
        }
    }

    /// Returns one that signs with Ed25519.
    package static func edDSA(party: String) -> SoftwareAuthenticator {
        let secret = Curve25519.Signing.PrivateKey()
        let key =
            CBOR.map(4) + CBOR.number(1) + CBOR.number(1) + CBOR.number(3) + CBOR.number(-8) + CBOR.number(-1)
            + CBOR.number(6) + CBOR.number(-2) + CBOR.data(secret.publicKey.rawRepresentation)
        return SoftwareAuthenticator(
            credential: Array(33...64),
            handle: Array(repeating: 7, count: 32),
            party: party,
            key: key
        ) { Array(try secret.signature(for: $0)) }
    }

    /// The authenticator's data of an assertion.
    package var assertionData: [UInt8] {
        Array(SHA256.hash(data: Array(party.utf8))) + [flags]
            + (0..<4).map { UInt8(truncatingIfNeeded: counter >> (24 - 8 * $0)) }
    }

    /// The authenticator's data of a new passkey.
    package var creationData: [UInt8] {
        var data = assertionData
        data[32] |= 0x40
        let length = credential.count
        return data + [UInt8](repeating: 0, count: 16) + [UInt8(length >> 8), UInt8(length & 0xFF)] + credential + key
    }

    /// The attestation object with a statement of nobody.
    package var attestation: [UInt8] { SoftwareAuthenticator.attestation(of: creationData) }

    /// Returns the attestation object of an authenticator's data.
    package static func attestation(of data: [UInt8], format: String = "none") -> [UInt8] {
        CBOR.map(3) + CBOR.text("fmt") + CBOR.text(format) + CBOR.text("attStmt") + CBOR.map(0)
            + CBOR.text("authData") + CBOR.data(data)
    }

    /// Returns the client data that a browser makes.
    package static func clientData(
        _ type: String,
        challenge: [UInt8],
        origin: String,
        more: String = #","crossOrigin":false"#
    ) -> [UInt8] {
        Array(#"{"type":"\#(type)","challenge":"\#(Base64.encodeURL(challenge))","origin":"\#(origin)"\#(more)}"#.utf8)
    }

    /// Returns the signature of an assertion.
    package func signature(clientData: [UInt8]) throws -> [UInt8] {
        try sign(assertionData + Array(SHA256.hash(data: clientData)))
    }
}

/// Writes CBOR (RFC 8949).
package enum CBOR: Sendable {
    /// Returns a whole number of at most 16 bits.
    package static func number(_ value: Int) -> [UInt8] {
        value < 0 ? head(1, -1 - value) : head(0, value)
    }

    /// Returns a string of bytes.
    package static func data(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        let bytes = Array(bytes)
        return head(2, bytes.count) + bytes
    }

    /// Returns a text.
    package static func text(_ text: String) -> [UInt8] { head(3, text.utf8.count) + Array(text.utf8) }

    /// Returns the beginning of a map with a number of entries.
    package static func map(_ count: Int) -> [UInt8] { head(5, count) }

    private static func head(_ major: UInt8, _ value: Int) -> [UInt8] {
        switch value {
        case ..<24: [major << 5 | UInt8(value)]
        case ..<256: [major << 5 | 24, UInt8(value)]
        default: [major << 5 | 25, UInt8(value >> 8 & 0xFF), UInt8(value & 0xFF)]
        }
    }
}
