import Formats

/// What the browser says about a ceremony: which page asked, for what, and with which challenge (WebAuthn §5.8.1).
struct ClientData: Sendable {
    /// What a page asks an authenticator for.
    enum Ceremony: String, Sendable {
        /// To make a passkey.
        case creation = "webauthn.create"
        /// To sign in with one.
        case assertion = "webauthn.get"
    }

    /// The bytes as the browser sent them; their SHA-256 is part of what is signed.
    let bytes: [UInt8]

    private static let limits = JSONValue.Limits(bytes: 8_192, depth: 8, allowsRepeatedNames: false)

    /// Checks everything that the browser says.
    ///
    /// - Throws: ``PasskeyError``: unreadable, or whatever differs first.
    init(
        _ bytes: [UInt8],
        of ceremony: Ceremony,
        challenge: [UInt8],
        at party: RelyingParty
    ) throws(PasskeyError) {
        guard let json = try? JSONValue(parsing: bytes, limits: ClientData.limits), json.object != nil else {
            throw .unreadable
        }
        guard json["type"]?.string == ceremony.rawValue else { throw .wrongCeremony }
        guard let text = json["challenge"]?.string, Base64.decodeURL(text.utf8) == challenge else {
            throw .wrongChallenge
        }
        guard json["origin"]?.string == party.origin else { throw .wrongOrigin }
        guard json["crossOrigin"].map({ $0.bool == false }) ?? true, json["topOrigin"] == nil else { throw .embedded }
        self.bytes = bytes
    }
}
