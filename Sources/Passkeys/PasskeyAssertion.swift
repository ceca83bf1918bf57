import CFido2

/// An answer that signs in, after the checks of WebAuthn §7.2 that need neither key nor database.
package struct PasskeyAssertion: Sendable {
    /// The authenticator's counter of signatures, which nothing vouches for before ``verify(with:)``.
    package let counter: UInt32
    private let clientData: ClientData
    private let authenticatorData: AuthenticatorData
    private let signature: [UInt8]
    private let party: RelyingParty

    /// The maximum size of a signature in bytes.
    package static let maxSignatureBytes = 1_024

    /// Checks what the browser and the authenticator say.
    ///
    /// - Parameters:
    ///   - authenticatorData: The authenticator's data, as bytes.
    ///   - clientData: The client data, as bytes of JSON.
    ///   - signature: The signature of both.
    ///   - challenge: The challenge that the browser was given.
    ///   - party: The service.
    /// - Throws: ``PasskeyError``.
    package init(
        authenticatorData: [UInt8],
        clientData: [UInt8],
        signature: [UInt8],
        challenge: [UInt8],
        at party: RelyingParty
    ) throws(PasskeyError) {
        self.clientData = try ClientData(clientData, of: .assertion, challenge: challenge, at: party)
        self.authenticatorData = try AuthenticatorData(authenticatorData, for: party)
        guard !self.authenticatorData.hasCredential else { throw .unreadable }
        guard (1...PasskeyAssertion.maxSignatureBytes).contains(signature.count) else { throw .unreadable }
        self.signature = signature
        self.party = party
        counter = self.authenticatorData.counter
    }

    /// Checks the signature with the key that belongs to the passkey.
    ///
    /// libfido2 checks the site's name and the flags of the user once more.
    ///
    /// - Throws: ``PasskeyError/wrongSignature`` if it does not fit, or the data has parts that libfido2 cannot read.
    package func verify(with key: PasskeyKey) throws(PasskeyError) {
        guard key.withPointer({ isSigned(by: $0, key.algorithm) }) == true else { throw .wrongSignature }
    }

    private func isSigned(by key: UnsafeRawPointer, _ algorithm: PasskeyKey.Algorithm) -> Bool {
        var answer = fido_assert_new() as OpaquePointer?
        guard answer != nil else { return false }
        defer { fido_assert_free(&answer) }
        let data = authenticatorData.bytes
        return fido_assert_set_count(answer, 1) == FIDO_OK
            && fido_assert_set_rp(answer, party.id) == FIDO_OK
            && fido_assert_set_clientdata(answer, clientData.bytes, clientData.bytes.count) == FIDO_OK
            && fido_assert_set_up(answer, FIDO_OPT_TRUE) == FIDO_OK
            && fido_assert_set_uv(answer, FIDO_OPT_TRUE) == FIDO_OK
            && fido_assert_set_authdata_raw(answer, 0, data, data.count) == FIDO_OK
            && fido_assert_set_sig(answer, 0, signature, signature.count) == FIDO_OK
            && fido_assert_verify(answer, 0, Int32(algorithm.rawValue), key) == FIDO_OK
    }

    /// Checks the counter against that of the last sign-in (WebAuthn §6.1.1).
    ///
    /// Both are 0 for authenticators that do not count, as those that synchronise passkeys.
    ///
    /// - Throws: ``PasskeyError/counterWentBack`` if it is not greater: there may be a copy of the passkey.
    package func checkCounter(after last: UInt32) throws(PasskeyError) {
        guard counter > last || (counter == 0 && last == 0) else { throw .counterWentBack }
    }
}
