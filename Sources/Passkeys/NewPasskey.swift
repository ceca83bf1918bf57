import CFido2

/// A passkey that an authenticator has just made, after all checks of WebAuthn §7.1 that need no database.
package struct NewPasskey: Hashable, Sendable {
    /// The id that the authenticator gave it, 1 to 1,023 bytes.
    package let credential: [UInt8]
    /// Its public key.
    package let key: PasskeyKey
    /// The authenticator's counter of signatures.
    package let counter: UInt32
    /// Whether whoever keeps it may copy it to the user's other devices.
    package let isSynced: Bool

    /// The maximum size of a credential's id in bytes (WebAuthn §4).
    package static let maxCredentialBytes = 1_023

    /// Checks the answer to a request for a new passkey.
    ///
    /// - Parameters:
    ///   - attestation: The attestation object, as bytes.
    ///   - clientData: The client data, as bytes of JSON.
    ///   - challenge: The challenge that the browser was given.
    ///   - party: The service.
    /// - Throws: ``PasskeyError``.
    package init(
        attestation: [UInt8],
        clientData: [UInt8],
        challenge: [UInt8],
        at party: RelyingParty
    ) throws(PasskeyError) {
        _ = try ClientData(clientData, of: .creation, challenge: challenge, at: party)
        let object = try AttestationObject(attestation)
        let data = try AuthenticatorData(object.authenticatorData, for: party)
        guard data.hasCredential else { throw .unreadable }
        // libfido2 reads a key only of the kind that it is told to expect.
        let found = PasskeyKey.Algorithm.allCases.lazy.compactMap { NewPasskey.read(data.bytes, as: $0) }.first
        guard let found, found.key.isValid else { throw .unknownKey }
        credential = found.credential
        key = found.key
        counter = data.counter
        isSynced = data.isSynced
    }

    /// Returns id and key of the credential in an authenticator's data; `nil` if there is none of this kind.
    private static func read(
        _ data: [UInt8],
        as algorithm: PasskeyKey.Algorithm
    ) -> (credential: [UInt8], key: PasskeyKey)? {
        var made = fido_cred_new() as OpaquePointer?
        guard made != nil else { return nil }
        defer { fido_cred_free(&made) }
        guard fido_cred_set_type(made, Int32(algorithm.rawValue)) == FIDO_OK,
            fido_cred_set_authdata_raw(made, data, data.count) == FIDO_OK,
            let id = bytes(fido_cred_id_ptr(made), fido_cred_id_len(made)), (1...maxCredentialBytes).contains(id.count),
            let key = bytes(fido_cred_pubkey_ptr(made), fido_cred_pubkey_len(made))
        else { return nil }
        return (id, PasskeyKey(algorithm, key))
    }

    private static func bytes(_ start: UnsafePointer<UInt8>?, _ count: Int) -> [UInt8]? {
        start.map { Array(UnsafeBufferPointer(start: $0, count: count)) }
    }
}
