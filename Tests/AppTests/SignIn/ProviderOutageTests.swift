import App
import Library
import Formats
import HTTPTypes
import Stories
import TestSupport
import Testing

@Suite("Providers that fail or misbehave", .serialized)
struct ProviderOutageTests {
    @Test("A new key of the provider is fetched once; tokens with made-up key ids do not make us ask more often")
    func rotation() async throws {
        try await ProviderSignInTests.run { scene in
            try await scene.link(to: "ana")
            #expect(try await scene.browser().visit().status == 303)
            scene.provider.behave { ($0.signing, $0.published) = (1, 1) }
            // Fetched only now: not again within the pause.
            #expect(try await scene.browser().visit().status == 502)
            #expect(scene.provider.count("jwks") == 1)
            scene.fixture.clock.advance(seconds: 11)
            #expect(try await scene.browser().visit().status == 303)
            #expect(scene.provider.count("jwks") == 2)
            scene.provider.behave { $0.signing = 0 }
            scene.fixture.clock.advance(seconds: 11)
            for _ in 0..<5 { #expect(try await scene.browser().visit().status == 502) }
            #expect(scene.provider.count("jwks") == 3)
        }
    }

    @Test("Key sets that are huge, redirect, or are none sign nobody in", arguments: ["huge", "moved", "none", "many"])
    func keySets(kind: String) async throws {
        try await ProviderSignInTests.run { scene in
            try await scene.link(to: "ana")
            scene.provider.behave { manner in
                switch kind {
                case "huge": manner.keySet = #"{"keys":[{"kty":"\#(String(repeating: "x", count: 5_000_000))"}]}"#
                case "moved": manner.keysMoved = "http://127.0.0.1:1/jwks"
                case "many":
                    manner.keySet = #"{"keys":[\#(Array(repeating: "{}", count: 5_000).joined(separator: ","))]}"#
                default: manner.keySet = "<html>"
                }
            }
            let browser = scene.browser()
            let reply = try await browser.visit()
            #expect(reply.status == 502 && reply.text.contains("does not answer just now"), "\(reply.text)")
            #expect(try await browser.user() == nil)
            // It recovers by itself.
            scene.provider.behave { ($0.keySet, $0.keysMoved) = (nil, nil) }
            scene.fixture.clock.advance(seconds: 11)
            #expect(try await browser.visit().status == 303)
        }
    }

    @Test("A provider that is down, or speaks for another, is said to be away; it is not asked again at once")
    func away() async throws {
        try await ProviderSignInTests.run { scene in
            scene.provider.behave { $0.discoveryStatus = .internalServerError }
            for _ in 0..<3 {
                let reply = try await scene.browser().send(.get, "/signin/provider")
                #expect(reply.status == 502 && reply.text.contains("Our &lt;church&gt; does not answer just now"))
                #expect(reply.text.contains("Try again"))
            }
            #expect(scene.provider.count("discovery") == 1)
            let browser = scene.browser()
            try await browser.signIn(as: "ana")
            let link = try await browser.send(.post, "/v1/me/provider-accounts")
            #expect(link.status == 409 && link.json["type"]?.string == "/problems/provider-away")
            scene.fixture.clock.advance(seconds: 11)
            scene.provider.behave { ($0.discoveryStatus, $0.issuer) = (.ok, "https://accounts.example.org") }
            #expect(try await scene.browser().send(.get, "/signin/provider").status == 502)
            scene.fixture.clock.advance(seconds: 11)
            scene.provider.behave { $0.issuer = nil }
            #expect(try await scene.browser().send(.get, "/signin/provider").status == 303)
        }
    }

    @Test("A token endpoint that fails, refuses or is slow keeps nobody waiting for long")
    func tokenEndpoint() async throws {
        try await ProviderSignInTests.run { scene in
            try await scene.link(to: "ana")
            for status in [HTTPResponse.Status.internalServerError, .unauthorized, .badRequest, .found] {
                scene.provider.behave { $0.tokenStatus = status }
                #expect(try await scene.browser().visit().status == 502, "\(status)")
            }
            scene.provider.behave { ($0.tokenStatus, $0.delay) = (.ok, .seconds(60)) }
            let start = ContinuousClock.now
            let browser = scene.browser()
            let reply = try await browser.visit()
            #expect(reply.status == 502 && ContinuousClock.now - start < .seconds(30))
            #expect(try await browser.user() == nil)
        }
    }

    @Test("Answers are looked at only so often for one client")
    func limits() async throws {
        let limits = SignInLimits()
        let now = Timestamp(milliseconds: 1_700_000_000_000)
        for _ in 0..<Int(SignInLimits.provided.byClient) { try limits.countProvided(by: "a", at: now) }
        #expect(throws: Refusal.self) { try limits.countProvided(by: "a", at: now) }
        try limits.countProvided(by: "b", at: now)
    }
}
