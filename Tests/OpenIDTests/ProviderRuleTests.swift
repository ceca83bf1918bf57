import Formats
import OpenID
import Testing

@Suite("What is asked of a provider, and what it says about itself")
struct ProviderRuleTests {
    static func document(_ changes: [String: String?] = [:]) -> [UInt8] {
        let all: [String: String?] = [
            "issuer": #""https://login.example.org""#, "jwks_uri": #""https://keys.example.org/jwks""#,
            "authorization_endpoint": #""https://login.example.org/auth?tenant=1""#,
            "token_endpoint": #""https://login.example.org/token""#,
        ]
        let members = all.merging(changes) { $1 }.sorted { $0.key < $1.key }
            .compactMap { name, value in value.map { #""\#(name)":\#($0)"# } }
        return Array(("{" + members.joined(separator: ",") + "}").utf8)
    }

    static func metadata(_ changes: [String: String?] = [:]) throws -> ProviderMetadata {
        try ProviderMetadata(parsing: document(changes), issuer: try #require(ProviderURL("https://login.example.org")))
    }

    @Test("Addresses are https, or http on this machine; nothing that two parsers read differently")
    func addresses() {
        for text in [
            "https://login.example.org", "https://login.example.org:8443/realms/a", "http://127.0.0.1:8431",
            "http://localhost:1/x?y=z", "http://[::1]:80/", "HTTPS://x".lowercased(),
        ] { #expect(ProviderURL(text) != nil, "\(text)") }
        for text in [
            "", "login.example.org", "http://login.example.org", "http://127.0.0.2", "ftp://x", "https://",
            "https:///x",
            "https://a@b", "https://a:b@c", "https://x/#f", "https://x y", "https://x\\y", "https://x:0",
            "https://x:65536",
            "https://x:+1", "https://x:", "https://é", "http://localhost.evil.example", "http://127.0.0.1@evil.example",
            "http://[::1].evil.example", "https://x\n", "https://" + String(repeating: "a", count: 2_000),
        ] { #expect(ProviderURL(text) == nil, "\(text)") }
        #expect(ProviderURL("https://Login.Example.ORG/x")?.host == "login.example.org")
    }

    @Test("The document must be the issuer's own, with addresses as safe as the issuer's")
    func documents() throws {
        let good = try ProviderRuleTests.metadata()
        #expect(good.keys.text == "https://keys.example.org/jwks" && good.proof == .basic && !good.namesIssuer)
        let bad: [[String: String?]] = [
            ["issuer": #""https://login.example.org/""#], ["issuer": nil], ["token_endpoint": nil],
            ["jwks_uri": #""http://login.example.org/jwks""#], ["token_endpoint": #""http://127.0.0.1/token""#],
            ["authorization_endpoint": #""javascript:alert(1)""#], ["jwks_uri": "1"],
            ["code_challenge_methods_supported": #"["plain"]"#],
            ["token_endpoint_auth_methods_supported": #"["private_key_jwt"]"#],
        ]
        for changes in bad {
            #expect(throws: OpenIDError.self, "\(changes)") { try ProviderRuleTests.metadata(changes) }
        }
        let posting = #"["client_secret_post"]"#
        #expect(try ProviderRuleTests.metadata(["token_endpoint_auth_methods_supported": posting]).proof == .body)
        let issuer = try #require(ProviderURL("https://login.example.org"))
        for text in ["", "[]", "{", String(repeating: "[", count: 10_000)] {
            #expect(throws: OpenIDError.self) { try ProviderMetadata(parsing: Array(text.utf8), issuer: issuer) }
        }
        #expect(
            ProviderMetadata.address(of: issuer) == "https://login.example.org/.well-known/openid-configuration"
        )
    }

    @Test(
        "Keys for encryption, other curves, short and secret keys are left out; a set without any, or too large, fails"
    )
    func keySets() async throws {
        let maker = try await TokenMaker()
        let short = #"{"kty":"RSA","n":"\#(Base64.encodeURL([UInt8](repeating: 255, count: 128)))","e":"AQAB"}"#
        let others = [
            short, #"{"kty":"oct","k":"AAAA"}"#, #"{"kid":"e","use":"enc",\#(maker.members["r"] ?? "")}"#, "1", "{}",
            #"{"kid":"p","d":"AA",\#(maker.members["c"] ?? "")}"#, #"{"kty":"EC","crv":"P-256","x":"AA","y":"AA"}"#,
            #"{"alg":"PS256",\#(maker.members["r"] ?? "")}"#, #"{"kty":"EC","crv":"P-384","x":"AA","y":"AA"}"#,
        ]
        #expect(try await ProviderKeys(parsing: maker.set(more: others)).count == 3)
        let bad = [
            maker.set([], more: others), maker.set([]), Array("{}".utf8), Array("[]".utf8), [],
            maker.set(["c", "c"]), maker.set(Array(repeating: "c", count: 101)),
            maker.set(more: [#"{"kty":"\#(String(repeating: "x", count: ProviderKeys.mostBytes))"}"#]),
        ]
        for bytes in bad {
            await #expect(throws: OpenIDError.keys) { _ = try await ProviderKeys(parsing: bytes) }
        }
    }

    @Test("The request has state, nonce and the challenge of RFC 7636's example, each escaped")
    func request() throws {
        let attempt = SignInAttempt(
            state: "s&=",
            nonce: "n",
            verifier: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
        )
        #expect(attempt.challenge == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
        let client = ProviderClientID(id: "way mark", secret: nil, redirect: "https://stories.example.org/back?x")
        let address = try ProviderRuleTests.metadata().authorizationAddress(of: attempt, for: client)
        let head = "https://login.example.org/auth?tenant=1&response_type=code&client_id=way%20mark&redirect_uri="
        #expect(
            address == head
                + "https%3A%2F%2Fstories.example.org%2Fback%3Fx&scope=openid%20email%20profile&state=s%26%3D"
                + "&nonce=n&code_challenge=\(attempt.challenge)&code_challenge_method=S256"
        )
        let bytes = (0..<96).map { UInt8($0) }
        let made = SignInAttempt(random: bytes)
        #expect(Set([made.state, made.nonce, made.verifier]).count == 3 && made.verifier.utf8.count == 43)
    }

    @Test("The secret goes into the header or the body, never both; without one there is PKCE alone")
    func exchange() {
        let attempt = SignInAttempt(state: "s", nonce: "n", verifier: "v")
        let client = ProviderClientID(id: "a:b", secret: "c d", redirect: "r")
        let basic = TokenExchange(code: "x&y", attempt: attempt, client: client, proof: .basic)
        #expect(basic.authorization == "Basic " + Base64.encode(Array("a%3Ab:c%20d".utf8)))
        #expect(basic.form == "grant_type=authorization_code&code=x%26y&redirect_uri=r&code_verifier=v")
        let body = TokenExchange(code: "x", attempt: attempt, client: client, proof: .body)
        #expect(body.authorization == nil && body.form.hasSuffix("&client_id=a%3Ab&client_secret=c%20d"))
        let open = ProviderClientID(id: "a", secret: nil, redirect: "r")
        let bare = TokenExchange(code: "x", attempt: attempt, client: open, proof: .basic)
        #expect(bare.authorization == nil && bare.form.hasSuffix("&client_id=a"))
        for text in ["", "{}", #"{"id_token":1}"#, #"{"id_token":""}"#, #"{"id_token":"a","id_token":"b"}"#] {
            #expect(throws: OpenIDError.exchange) { try TokenExchange.idToken(in: Array(text.utf8)) }
        }
    }

    @Test("An answer counts once, for this browser's attempt, from this provider")
    func answers() throws {
        let attempt = SignInAttempt(state: "s", nonce: "n", verifier: "v")
        let open = try ProviderRuleTests.metadata()
        let naming = try ProviderRuleTests.metadata(["authorization_response_iss_parameter_supported": "true"])
        let own = ["https://login.example.org"]
        func fault(_ values: [String: [String]], _ provider: ProviderMetadata) -> OpenIDError? {
            do throws(OpenIDError) {
                _ = try AuthorizationAnswer(values).code(for: attempt, of: provider)
                return nil
            } catch { return error }
        }
        #expect(fault(["state": ["s"], "code": ["c"], "scope": ["openid"]], open) == nil)
        #expect(fault(["state": ["s"], "code": ["c"], "iss": own], naming) == nil)
        #expect(fault(["state": ["s"], "code": ["c"]], naming) == .answer(.issuer))
        #expect(fault(["state": ["s"], "code": ["c"], "iss": ["https://evil.example"]], open) == .answer(.issuer))
        #expect(fault(["state": ["s"], "code": ["c"], "iss": own + own], open) == .answer(.issuer))
        #expect(fault(["state": ["s"], "error": ["access_denied"]], open) == .refused("access_denied"))
        #expect(fault(["state": ["s"], "error": ["<script>"]], open) == .refused("other"))
        #expect(fault(["state": ["s"]], open) == .answer(.malformed))
        #expect(fault(["state": ["s"], "code": ["c", "d"]], open) == .answer(.malformed))
        #expect(fault(["state": ["s"], "code": [""]], open) == .answer(.malformed))
        for state in [[], ["t"], ["s", "s"], [""]] {
            #expect(fault(["state": state, "code": ["c"]], open) == .answer(.state))
            #expect(fault(["state": state, "error": ["access_denied"]], open) == .answer(.state))
        }
        let empty = SignInAttempt(state: "", nonce: "", verifier: "")
        #expect(!AuthorizationAnswer(["state": [""]]).belongs(to: empty))
    }
}
