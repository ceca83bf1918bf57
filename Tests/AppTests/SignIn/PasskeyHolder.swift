import App
import Formats
import HTTPTypes
import TestSupport
import Testing

/// A browser with an authenticator.
struct PasskeyHolder {
    static let origin = "https://stories.example.org"
    static let id = "stories.example.org"

    let browser: Browser
    var authenticator: SoftwareAuthenticator

    /// Runs a service at an https address, on the families of the fixture.
    static func run(
        publicURL: String? = origin,
        _ body: @escaping @Sendable (Client, ServiceFixture) async throws -> Void
    ) async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        var options = WaymarkService.Options()
        options.publicURL = publicURL
        try await fixture.run(options: options) { try await body($0, fixture) }
    }

    /// A user who is signed in and has an authenticator, which may have a passkey in it.
    static func signedIn(
        as user: String,
        _ client: Client,
        credential: [UInt8] = Array(1...32),
        adds: Bool = true
    ) async throws -> PasskeyHolder {
        let browser = try await Browser.signedIn(as: user, client)
        var holder = PasskeyHolder(
            browser: browser,
            authenticator: .es256(credential: credential, party: PasskeyHolder.id)
        )
        if adds { #expect(try await holder.add().status == 201) }
        return holder
    }

    /// Asks for a challenge and adds the passkey of the authenticator.
    @discardableResult
    mutating func add(name: String = "My phone") async throws -> Client.Reply {
        let asked = try await browser.send(.post, "/v1/me/passkeys/challenge")
        guard asked.status == 200 else { return asked }
        let handle = try #require(asked.json["user_handle"]?.string)
        authenticator.handle = try #require(Base64.decodeURL(handle.utf8))
        return try await browser.send(.post, "/v1/me/passkeys", try creation(asked.json, name: name))
    }

    /// The body that adds the passkey.
    func creation(_ asked: JSONValue, name: String = "My phone", origin: String = origin) throws -> String {
        let text = try #require(asked["challenge"]?.string)
        let challenge = try #require(Base64.decodeURL(text.utf8))
        let data = SoftwareAuthenticator.clientData("webauthn.create", challenge: challenge, origin: origin)
        return PasskeyHolder.body([
            "ticket": try #require(asked["ticket"]?.string), "name": name,
            "attestation": Base64.encodeURL(authenticator.attestation), "client_data": Base64.encodeURL(data),
        ])
    }

    /// The body that signs in.
    func assertion(_ asked: JSONValue, origin: String = origin) throws -> String {
        let text = try #require(asked["challenge"]?.string)
        let challenge = try #require(Base64.decodeURL(text.utf8))
        let data = SoftwareAuthenticator.clientData("webauthn.get", challenge: challenge, origin: origin)
        return PasskeyHolder.body([
            "ticket": try #require(asked["ticket"]?.string),
            "credential": Base64.encodeURL(authenticator.credential),
            "user_handle": Base64.encodeURL(authenticator.handle),
            "authenticator_data": Base64.encodeURL(authenticator.assertionData),
            "client_data": Base64.encodeURL(data),
            "signature": Base64.encodeURL(try authenticator.signature(clientData: data)),
        ])
    }

    /// Signs in with the passkey, in this or another browser.
    @discardableResult
    func signIn(in other: Browser? = nil) async throws -> Client.Reply {
        let asked = try await (other ?? browser).send(.post, "/v1/session/passkey/challenge")
        guard asked.status == 200 else { return asked }
        return try await (other ?? browser).send(.post, "/v1/session/passkey", try assertion(asked.json))
    }

    /// The id of the newest passkey, as its owner is told it.
    func newest() async throws -> String {
        try #require(try await browser.get("/v1/me/passkeys").json["passkeys"]?[0]?["id"]?.string)
    }

    private static func body(_ members: [String: String]) -> String {
        var json = JSONWriter(capacity: 4_096)
        json.beginObject()
        for (name, value) in members.sorted(by: { $0.key < $1.key }) { json.member(name, value) }
        json.endObject()
        return json.text
    }
}
