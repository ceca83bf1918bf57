import App
import Library
import Formats
import Foundation
import HTTPTypes
import OpenID
import Storage
import Stories
import TestSupport
import Testing

/// Goes through libcurl to a provider on this machine.
@Suite("Signing in with a provider", .serialized)
struct ProviderSignInTests {
    /// What a test works with.
    struct Scene: Sendable {
        let client: Client
        let fixture: ServiceFixture
        let provider: TestProvider

        func browser() -> ProviderBrowser { ProviderBrowser(client, provider) }

        /// Links a person's account to that of a user, as the operator does.
        func link(_ subject: String = TestProvider.Person().subject, to user: String) async throws {
            let identity = ProviderIdentity(issuer: provider.issuer, subject: subject)
            try await fixture.library.signIns.byProvider.link(identity, to: try #require(UserID(user)))
        }

        /// Gives a user an e-mail address, proven or not.
        func setEmail(_ email: String, of user: String, isProven: Bool) async throws {
            let (id, now) = (try #require(UserID(user)), fixture.clock.now)
            try await fixture.library.store.write { transaction in
                try transaction.save(User(id: id, name: user.capitalized, email: email), at: now)
                if isProven { try transaction.saveProvenAddress(email, of: id, at: now) }
            }
        }
    }

    static func run(
        joins: Bool = false,
        invitationsMakeAccounts: Bool = true,
        _ body: @escaping @Sendable (Scene) async throws -> Void
    ) async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        let provider = TestProvider { [clock = fixture.clock] in clock.now }
        try await provider.run {
            var options = WaymarkService.Options()
            var settings = ProviderSettings(
                issuer: try #require(ProviderURL(provider.issuer)),
                clientID: TestProvider.client,
                secret: TestProvider.secret,
                name: "Our <church>"
            )
            settings.joins = joins
            options.provider = settings
            options.invitationsMakeAccounts = invitationsMakeAccounts
            try await fixture.run(options: options) { client in
                try await body(Scene(client: client, fixture: fixture, provider: provider))
            }
        }
    }

    @Test("A linked person goes to the provider and comes back signed in for 30 days, where they were")
    func life() async throws {
        try await ProviderSignInTests.run { scene in
            let browser = scene.browser()
            let ways = try await browser.send(.get, "/v1/session").json["ways"]
            #expect(ways?["provider"]?["name"]?.string == "Our <church>")
            try await scene.link(to: "ana")
            let reply = try await browser.visit(next: "%2F%3Fkind%3Dphoto%23map%3D11%2F1%2F2")
            #expect(
                reply.status == 303 && reply.headers[.location] == "/?kind=photo#map=11/1/2&signed-in=1",
                "\(reply.text)"
            )
            #expect(reply.headers[.cacheControl] == "no-store")
            #expect(reply.headers[try Browser.field("Referrer-Policy")] == "no-referrer")
            let session = reply.headers[values: .setCookie].first { $0.hasPrefix("waymark_session=") }
            #expect(session?.hasSuffix("; Path=/; Max-Age=2592000; HttpOnly; SameSite=Lax") == true)
            #expect(browser.cookies["waymark_provider"] == nil)
            #expect(try await browser.user() == "ana")
            let devices = try await browser.send(.get, "/v1/me/sessions").json["sessions"]
            #expect(devices?[0]?["label"]?.string == "Firefox on Linux")
            // The documents are asked for once an hour.
            try await scene.browser().visit()
            #expect(scene.provider.count("discovery") == 1 && scene.provider.count("jwks") == 1)
            scene.fixture.clock.advance(seconds: 3_601)
            try await scene.browser().visit()
            #expect(scene.provider.count("discovery") == 2 && scene.provider.count("jwks") == 2)
        }
    }

    @Test(
        "Nothing that is wrong with a token signs anybody in",
        arguments: [
            (["iss": #""https://evil.example""#], "not accepted"), (["aud": #""another""#], "not accepted"),
            (["nonce": #""another""#], "not accepted"), (["nonce": nil], "not accepted"),
            (["azp": #""another""#], "not accepted"), (["sub": nil], "not accepted"),
            (["exp": "1"], "clocks"), (["iat": "9999999999"], "clocks"), (["iat": "1"], "clocks"),
        ] as [([String: String?], String)]
    )
    func wrongTokens(claims: [String: String?], words: String) async throws {
        try await ProviderSignInTests.run(joins: true) { scene in
            try await scene.link(to: "ana")
            scene.provider.behave { $0.claims = claims }
            let browser = scene.browser()
            let reply = try await browser.visit()
            #expect(reply.status == 502 && reply.text.contains(words), "\(reply.text)")
            #expect(reply.headers[.contentType] == "text/html; charset=utf-8" && !reply.text.contains("<church>"))
            #expect(try await browser.user() == nil && browser.cookies.isEmpty)
        }
    }

    @Test("Only the browser that began comes back: no, another, an old and a repeated state sign nobody in")
    func states() async throws {
        try await ProviderSignInTests.run { scene in
            try await scene.link(to: "ana")
            let (attacker, victim) = (scene.browser(), scene.browser())
            // The attacker's answer in the victim's browser: signing in somebody unnoticed as another (login CSRF).
            let answer = try scene.provider.signIn(at: try await attacker.leave())
            let planted = try await victim.comeBack(answer)
            #expect(planted.status == 400 && planted.text.contains("not begun in this browser"))
            _ = try await victim.leave()
            #expect(try await victim.comeBack(answer).status == 400)
            #expect(victim.cookies.isEmpty && scene.provider.count("token") == 0)
            // What ends a journey ends it for good.
            #expect(try await victim.comeBack(answer).status == 400)
            // The answer is still good where it belongs, once.
            let cookies = attacker.cookies
            #expect(try await attacker.comeBack(answer).status == 303)
            attacker.cookies = cookies
            #expect(try await attacker.comeBack(answer).status == 502)
            let slow = scene.browser()
            let late = try scene.provider.signIn(at: try await slow.leave())
            scene.fixture.clock.advance(seconds: 600)
            #expect(try await slow.comeBack(late).status == 400)
            // A cookie that somebody made up or changed is none.
            let forged = scene.browser()
            let own = try scene.provider.signIn(at: try await forged.leave())
            let text = try #require(forged.cookies["waymark_provider"])
            let other = (text.hasPrefix("A") ? "B" : "A") + text.dropFirst()
            for value in ["", "x", String(text.dropLast()), other, text + "A"] {
                forged.cookies["waymark_provider"] = value
                #expect(try await forged.comeBack(own).status == 400)
            }
            forged.cookies["waymark_provider"] = text
            #expect(try await forged.comeBack(own + "&state=x").status == 400)
        }
    }

    @Test("An answer of another provider is refused (mix-up), and so is what the provider denies")
    func mixUp() async throws {
        try await ProviderSignInTests.run { scene in
            try await scene.link(to: "ana")
            let browser = scene.browser()
            let answer = try scene.provider.signIn(at: try await browser.leave())
            #expect(try await browser.comeBack(answer + "&iss=https%3A%2F%2Fevil.example").status == 502)
            #expect(scene.provider.count("token") == 0)
            let issuer = scene.provider.issuer.replacing(":", with: "%3A").replacing("/", with: "%2F")
            let named = try scene.provider.signIn(at: try await browser.leave()) + "&iss=\(issuer)"
            #expect(try await browser.comeBack(named).status == 303)
            let other = scene.browser()
            let state = try scene.provider.signIn(at: try await other.leave()).split(separator: "&")[1]
            let denied = try await other.comeBack("?error=access_denied&error_description=%3Cscript%3E&\(state)")
            #expect(
                denied.status == 403 && denied.text.contains("did not let you in") && !denied.text.contains("script>x")
            )
            #expect(try await other.user() == nil)
        }
    }

    @Test("A session that somebody planted ends, and the new one has a secret of its own (fixation)")
    func fixation() async throws {
        try await ProviderSignInTests.run { scene in
            try await scene.link(to: "ana")
            let attacker = scene.browser()
            try await attacker.signIn(as: "cora")
            let planted = try #require(attacker.cookies["waymark_session"])
            let victim = scene.browser()
            victim.cookies["waymark_session"] = planted
            #expect(try await victim.visit().status == 303)
            #expect(try await victim.user() == "ana" && victim.cookies["waymark_session"] != planted)
            #expect(try await attacker.send(.get, "/v1/me").status == 401)
        }
    }

    @Test("The way back leads to a path of this service alone (open redirect)")
    func redirects() async throws {
        try await ProviderSignInTests.run { scene in
            try await scene.link(to: "ana")
            for next in [
                "https%3A%2F%2Fevil.example", "%2F%2Fevil.example", "%2F%5Cevil.example", "%2F%09%2Fevil.example",
                "evil",
                "javascript%3Aalert(1)", "%2F%0d%0aSet-Cookie%3Ax", "%2Fsignin%2Fprovider", "%5C%5Cevil.example",
                "%2F.%2Fsignin%2Fprovider", "%2F..%2F%2Fevil.example", "%2Fa%2F%252E%252e%2Fb", "",
            ] {
                let reply = try await scene.browser().visit(next: next)
                #expect(reply.status == 303 && reply.headers[.location] == "/#signed-in=1", "\(next)")
            }
            let story = "%2Fstories%2F0123456789abcdef0123456789abcdef"
            #expect(try await scene.browser().visit(next: story).headers[.location]?.hasPrefix("/stories/0123") == true)
        }
    }

    @Test("Another site's link asks first; the page's own link goes on at once")
    func foreignStart() async throws {
        try await ProviderSignInTests.run { scene in
            for site in ["cross-site", "same-site"] {
                let browser = scene.browser()
                let reply = try await browser.send(.get, "/signin/provider?next=%2F", nil, ["Sec-Fetch-Site": site])
                #expect(reply.status == 200 && reply.text.contains("href=\"/signin/provider?next=%2F\""))
                #expect(browser.cookies.isEmpty && reply.text.contains("Our &lt;church&gt;"))
            }
            for site in ["same-origin", "none"] {
                #expect(
                    try await scene.browser().send(.get, "/signin/provider", nil, ["Sec-Fetch-Site": site]).status
                        == 303
                )
            }
        }
    }
}
