import Crypto

/// What an authenticator says about itself and its user, before libfido2 reads the rest (WebAuthn §6.1).
struct AuthenticatorData: Sendable {
    /// The maximum size in bytes; a key of RSA with 2,048 bits and an id of 1,023 bytes fit well.
    static let maxBytes = 8_192
    /// The size of the fixed part in bytes: the digest of the site's name, the flags and the counter.
    private static let headBytes = 37

    let bytes: [UInt8]
    /// The number of signatures so far; 0 from authenticators that do not count.
    let counter: UInt32

    /// Whether the passkey may be copied to the user's other devices by whoever keeps it.
    var isSynced: Bool { bytes[32] & 0x08 != 0 }

    /// Checks the site and the flags of the user: present (UP) and verified (UV).
    ///
    /// - Throws: ``PasskeyError``: unreadable, or whatever is wrong first.
    init(_ bytes: [UInt8], for party: RelyingParty) throws(PasskeyError) {
        guard bytes.count >= AuthenticatorData.headBytes, bytes.count <= AuthenticatorData.maxBytes else {
            throw .unreadable
        }
        self.bytes = bytes
        counter = bytes[33..<37].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        guard Array(SHA256.hash(data: Array(party.id.utf8))) == Array(bytes[..<32]) else { throw .wrongSite }
        guard bytes[32] & 0x01 != 0 else { throw .absentUser }
        guard bytes[32] & 0x04 != 0 else { throw .unverifiedUser }
        // A copy is said to exist of what cannot be copied (WebAuthn Level 3, §7.1 and §7.2).
        guard bytes[32] & 0x18 != 0x10 else { throw .unreadable }
        try checkForm()
    }

    /// Whether there is a new credential in it.
    var hasCredential: Bool { bytes[32] & 0x40 != 0 }

    /// Checks that what follows the head is a credential and extensions, as the flags say, and nothing else.
    ///
    /// libfido2 reads it again; the library of CBOR under it allocates whatever a length announces, so no length may
    /// announce more than there is.
    private func checkForm() throws(PasskeyError) {
        var reader = CBORReader(Array(bytes[AuthenticatorData.headBytes...]))
        if hasCredential {
            _ = try reader.take(16)
            let length = try reader.take(2).reduce(0) { $0 << 8 | Int($1) }
            _ = try reader.take(length)
            guard reader.next == .map else { throw .unreadable }
            try reader.skip()
        }
        if bytes[32] & 0x80 != 0 {
            guard reader.next == .map else { throw .unreadable }
            try reader.skip()
        }
        guard reader.isAtEnd else { throw .unreadable }
    }
}
