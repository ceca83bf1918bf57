import Crypto
import Formats
import Foundation
import HTTPTypes
import Hummingbird
import OpenID
import Stories
import Synchronization
import TestSupport
import Testing

/// An OpenID Connect provider on this machine, which signs with jwt-kit and misbehaves as a test asks.
final class TestProvider: Sendable {
    static let client = "waymark-test"
    static let secret = "very secret & odd"

    /// A person at the provider.
    struct Person: Sendable {
        var subject = "248289761001"
        var email: String?
        var isVerified = true
        var name: String? = "Olga Whitfield"
    }

    /// How the provider behaves.
    struct Manner: Sendable {
        /// Claims that replace good ones, as JSON; `nil` leaves one out.
        var claims: [String: String?] = [:]
        /// The key with which tokens are signed, and the one that the set publishes.
        var (signing, published) = (0, 0)
        var tokenStatus = HTTPResponse.Status.ok
        var discoveryStatus = HTTPResponse.Status.ok
        /// The body of the key set, instead of the real one.
        var keySet: String?
        /// Where the key set redirects to.
        var keysMoved: String?
        /// The issuer that the discovery document names.
        var issuer: String?
        /// How long the token endpoint takes.
        var delay = Duration.zero
    }

    private struct Grant: Sendable {
        let (nonce, challenge, redirect): (String, String, String)
        let person: Person
    }

    private struct State: Sendable {
        var manner = Manner()
        var port = 0
        var grants: [String: Grant] = [:]
        var asked: [String: Int] = [:]
    }

    private let state = Mutex(State())
    private let keys: [(id: String, key: P256.Signing.PrivateKey)]
    private let now: @Sendable () -> Timestamp

    init(now: @escaping @Sendable () -> Timestamp) {
        keys = ["first", "second"].map { ($0, P256.Signing.PrivateKey()) }
        self.now = now
    }

    var issuer: String { state.withLock { "http://127.0.0.1:\($0.port)" } }

    /// How often a path was asked for.
    func count(_ path: String) -> Int { state.withLock { $0.asked[path] ?? 0 } }

    func behave(_ change: (inout Manner) -> Void) { state.withLock { change(&$0.manner) } }

    /// Runs `body` while the provider answers.
    func run(_ body: @escaping @Sendable () async throws -> Void) async throws {
        let router = Router()
        router.get("/.well-known/openid-configuration") { [self] _, _ in discovery() }
        router.get("/jwks") { [self] _, _ in keySet() }
        router.post("/token") { [self] request, _ in try await token(request) }
        try await TestListener.run(router, label: "provider") { [self] port in
            state.withLock { $0.port = port }
            try await body()
        }
    }

    /// Lets a person sign in at the address to which the browser was sent; returns the answer's query.
    func signIn(_ person: Person = Person(), at location: String) throws -> String {
        let items = try #require(URLComponents(string: location)?.queryItems)
        func value(_ name: String) throws -> String { try #require(items.first { $0.name == name }?.value) }
        #expect(location.hasPrefix(issuer + "/authorize?"))
        #expect(try value("client_id") == TestProvider.client && value("response_type") == "code")
        #expect(try value("code_challenge_method") == "S256" && value("scope").contains("openid"))
        let grant = Grant(
            nonce: try value("nonce"),
            challenge: try value("code_challenge"),
            redirect: try value("redirect_uri"),
            person: person
        )
        let code = Base64.encodeURL((0..<16).map { _ in UInt8.random(in: 0...255) })
        state.withLock { $0.grants[code] = grant }
        return "?code=\(code)&state=\(try value("state"))&session_state=x"
    }

    private func note(_ path: String) -> Manner {
        state.withLock {
            $0.asked[path, default: 0] += 1
            return $0.manner
        }
    }

    private func json(_ text: String, _ status: HTTPResponse.Status = .ok) -> Response {
        Response(
            status: status,
            headers: [.contentType: "application/json"],
            body: .init(byteBuffer: ByteBuffer(string: text))
        )
    }

    private func discovery() -> Response {
        let (manner, issuer) = (note("discovery"), issuer)
        let text = """
            {"issuer":"\(manner.issuer ?? issuer)","authorization_endpoint":"\(issuer)/authorize",
            "token_endpoint":"\(issuer)/token","jwks_uri":"\(issuer)/jwks",
            "code_challenge_methods_supported":["S256"]}
            """
        return json(text, manner.discoveryStatus)
    }

    private func keySet() -> Response {
        let manner = note("jwks")
        if let moved = manner.keysMoved { return Response(status: .found, headers: [.location: moved]) }
        if let text = manner.keySet { return json(text) }
        let (id, key) = keys[manner.published]
        let point = [UInt8](key.publicKey.x963Representation)
        let (x, y) = (Base64.encodeURL(point[1..<33]), Base64.encodeURL(point[33...]))
        return json(#"{"keys":[{"kty":"EC","crv":"P-256","kid":"\#(id)","use":"sig","x":"\#(x)","y":"\#(y)"}]}"#)
    }

    private func token(_ request: Request) async throws -> Response {
        let manner = note("token")
        if manner.delay > .zero { try await Task.sleep(for: manner.delay) }
        guard manner.tokenStatus == .ok else { return json("{}", manner.tokenStatus) }
        var request = request
        let body = String(buffer: try await request.collectBody(upTo: 65_536))
        let items = URLComponents(string: "?" + body)?.queryItems ?? []
        let fields = Dictionary(items.map { ($0.name, $0.value ?? "") }) { first, _ in first }
        let pair = FormText.encode([(TestProvider.client, "")]).dropLast() + ":" + "very%20secret%20%26%20odd"
        guard request.headers[.authorization] == "Basic " + Base64.encode(Array(pair.utf8)),
            let grant = state.withLock({ $0.grants.removeValue(forKey: fields["code"] ?? "") }),
            fields["redirect_uri"] == grant.redirect,
            Base64.encodeURL(SHA256.hash(data: Data((fields["code_verifier"] ?? "").utf8))) == grant.challenge
        else { return json(#"{"error":"invalid_grant"}"#, .badRequest) }
        let token = try idToken(grant, manner)
        return json(#"{"access_token":"a","token_type":"Bearer","id_token":"\#(token)"}"#)
    }

    private func idToken(_ grant: Grant, _ manner: Manner) throws -> String {
        let seconds = now().milliseconds / 1_000
        var claims: [String: String?] = [
            "iss": #""\#(issuer)""#, "aud": #""\#(TestProvider.client)""#, "sub": #""\#(grant.person.subject)""#,
            "nonce": #""\#(grant.nonce)""#, "iat": "\(seconds)", "exp": "\(seconds + 300)",
            "name": grant.person.name.map { #""\#($0)""# },
        ]
        if let email = grant.person.email {
            claims["email"] = #""\#(email)""#
            claims["email_verified"] = "\(grant.person.isVerified)"
        }
        let members = claims.merging(manner.claims) { $1 }
            .compactMap { name, value in value.map { #""\#(name)":\#($0)"# } }
        let (id, key) = keys[manner.signing]
        let header = Base64.encodeURL(Array(#"{"alg":"ES256","kid":"\#(id)"}"#.utf8))
        let text = header + "." + Base64.encodeURL(Array("{\(members.joined(separator: ","))}".utf8))
        return text + "." + Base64.encodeURL(try key.signature(for: Data(text.utf8)).rawRepresentation)
    }
}
