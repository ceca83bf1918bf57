import App
import Library
import Formats
import Foundation
import HTTPTypes
import Storage
import Stories
import TestSupport
import Testing

@Suite("Sessions of the page")
struct PageSessionTests {
    static func run(_ body: @escaping @Sendable (Client, ServiceFixture) async throws -> Void) async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture.run { try await body($0, fixture) }
    }

    @Test("A sign-in sets a cookie that scripts cannot read; it acts for the user for 30 days, however used")
    func life() async throws {
        try await PageSessionTests.run { client, fixture async throws in
            let browser = Browser(client)
            #expect(try await browser.user() == nil)
            let reply = try await browser.signIn(as: "ana")
            #expect(reply.status == 201 && reply.headers[.cacheControl] == "no-store")
            let set = try #require(reply.headers[.setCookie])
            #expect(set.hasSuffix("; Path=/; Max-Age=2592000; HttpOnly; SameSite=Lax") && !set.contains("Domain"))
            #expect(reply.json["user"]?["name"]?.string == "Ana")
            let secret = try #require(browser.cookie)
            #expect(secret.wholeMatch(of: /wm_session_[0-9A-Za-z]{16}_[0-9A-Za-z]{49}/) != nil)
            #expect(!String(decoding: reply.bytes, as: UTF8.self).contains(secret.suffix(40)))
            let me = try await browser.get("/v1/me")
            let scopes = Scope.user.sorted().map { JSONValue.string($0.rawValue) }
            #expect(me.json["id"]?.string == "ana" && me.json["scopes"]?.array == scopes)
            for _ in 0..<29 {
                fixture.clock.advance(seconds: 86_400)
                #expect(try await browser.user() == "ana")
            }
            fixture.clock.advance(seconds: 86_399)
            #expect(try await browser.get("/v1/me").status == 200)
            fixture.clock.advance(seconds: 1)
            #expect(try await browser.get("/v1/me").status == 401)
        }
    }

    @Test("A cookie that is no longer valid gets 401, and is removed where the page asks who it is")
    func stale() async throws {
        try await PageSessionTests.run { client, _ async throws in
            for stale in ["", "nonsense", "wm_session_0123456789abcdef_" + String(repeating: "0", count: 49)] {
                let browser = Browser(client, cookie: stale)
                let elsewhere = try await browser.get("/v1/stories")
                #expect(elsewhere.status == 401 && elsewhere.headers[.setCookie] == nil)
                #expect(elsewhere.headers[.cacheControl] == "no-store")
                // What is the same for everyone does not depend on it.
                #expect(try await browser.get("/v1/basemaps").status == 200)
                let asked = try await browser.get("/v1/session")
                #expect(asked.status == 401 && asked.headers[.setCookie]?.contains("Max-Age=0") == true)
                #expect(browser.cookie == nil)
                #expect(try await Browser(client, cookie: stale).signIn(as: "ana").status == 201)
            }
        }
    }

    /// The ways in which a session ends.
    enum Ending: String, CaseIterable, Sendable {
        case signOut, device, everywhere, everywhereByToken, account, removal, secondSignIn, fiftyMore
    }

    @Test("Whatever ends access ends sessions at once, and no other user's", arguments: Ending.allCases)
    func endings(ending: Ending) async throws {
        try await PageSessionTests.run { client, fixture async throws in
            let cora = try #require(UserID("cora"))
            let browser = try await Browser.signedIn(as: "cora", client)
            let secret = try #require(browser.cookie)
            let ben = try await Browser.signedIn(as: "ben", client)
            let begun = try #require(try await browser.get("/v1/session").json["session"]?["id"]?.string)
            fixture.clock.advance(seconds: 5)
            switch ending {
            case .signOut:
                let reply = try await browser.send(.delete, "/v1/session")
                #expect(reply.status == 204 && browser.cookie == nil)
                #expect(reply.headers[try Browser.field("Clear-Site-Data")] == #""cache", "storage""#)
            case .device:
                let other = try await Browser.signedIn(as: "cora", client)
                #expect(try await ben.send(.delete, "/v1/me/sessions/\(begun)").status == 404)
                #expect(try await other.send(.delete, "/v1/me/sessions/\(begun)").status == 204)
                #expect(try await other.send(.delete, "/v1/me/sessions/\(begun)").status == 404)
                #expect(try await other.user() == "cora")
            case .everywhere: #expect(try await browser.send(.delete, "/v1/me/sessions").status == 204)
            case .everywhereByToken: try await fixture.accounts.signOutEverywhere(cora)
            case .account: #expect(try await browser.send(.delete, "/v1/me").status == 200)
            case .removal: #expect(try await fixture.library.rights.erasures.removeUser(cora))
            case .secondSignIn: try await browser.signIn(as: "cora")
            case .fiftyMore:
                for _ in 0..<50 {
                    fixture.clock.advance(seconds: 1)
                    _ = try await Browser.signedIn(as: "cora", client)
                }
                #expect(try await fixture.library.signIns.sessions(of: cora).count == 50)
            }
            #expect(try await Browser(client, cookie: secret).get("/v1/me").status == 401, "\(ending)")
            #expect(try await ben.user() == "ben")
            guard ending == .account || ending == .removal else { return }
            // A later account of that name is another's.
            fixture.clock.advance(seconds: 5)
            let now = fixture.clock.now
            try await fixture.library.store.write { try $0.save(User(id: cora, name: "Another"), at: now) }
            #expect(try await Browser(client, cookie: secret).get("/v1/me").status == 401)
        }
    }

    @Test("A live stream opens with the cookie, and ends with its session", arguments: [false, true])
    func streams(everywhere: Bool) async throws {
        try await PageSessionTests.run { client, fixture async throws in
            let browser = try await Browser.signedIn(as: "ana", client)
            let opened = try await browser.get("/v1/notifications/stream")
            #expect(opened.status == 200 && opened.headers[.cacheControl] == "no-store")
            let (accounts, credentials) = (fixture.accounts, Credentials(session: browser.cookie))
            let log = EventLog()
            let ana = try #require(UserID("ana"))
            let run = try LiveRun.feed(of: ana, in: fixture.library, to: log) {
                (try? await accounts.principal(credentials, isWriting: false)) != nil
            }
            await log.wait { $0.events.count == 1 }
            try await browser.send(.delete, everywhere ? "/v1/me/sessions" : "/v1/session")
            #expect(await run.end())
        }
    }

    @Test("An ended session does not come back with an older copy of the database", arguments: [false, true])
    func restored(everywhere: Bool) async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        let ana = try #require(UserID("ana"))
        let arrival = SignInService.Arrival(label: "A browser", former: nil, client: nil)
        let ended = try await fixture.library.signIns.begin(for: ana, arrival)
        let kept = try await fixture.library.signIns.begin(for: ana, arrival)
        let copy = try TemporaryFolder()
        try fixture.closeAndCopy(to: copy)
        let second = try await ServiceFixture(of: fixture)
        fixture.clock.advance(seconds: 5)
        if everywhere {
            try await second.accounts.signOutEverywhere(ana)
        } else {
            try await second.library.signIns.end(ended.session.id, of: ana)
        }
        try second.closeAndPutBack(copy)
        let again = try await ServiceFixture(of: fixture)
        try await again.run { client async throws in
            #expect(try await Browser(client, cookie: ended.secret).get("/v1/me").status == 401)
            #expect(try await Browser(client, cookie: kept.secret).get("/v1/me").status == (everywhere ? 401 : 200))
        }
    }

    @Test("Signing in makes a new secret and ends the session that was there, so that nobody can prepare one")
    func fixation() async throws {
        try await PageSessionTests.run { client, _ async throws in
            let attacker = try await Browser.signedIn(as: "cora", client)
            let planted = try #require(attacker.cookie)
            let victim = Browser(client, cookie: planted)
            #expect(try await victim.signIn(as: "ana").status == 201)
            #expect(victim.cookie != planted)
            #expect(try await victim.user() == "ana")
            #expect(try await attacker.get("/v1/me").status == 401)
            // A made-up secret is not taken over either.
            let made = "wm_session_0123456789abcdef_" + String(repeating: "0", count: 49)
            let second = Browser(client, cookie: made)
            try await second.signIn(as: "ana")
            #expect(second.cookie != made && second.cookie != victim.cookie)
            #expect(try await victim.user() == "ana")
        }
    }

    @Test("The list of devices names coarse families and hours, no secrets, and marks the caller's own")
    func devices() async throws {
        try await PageSessionTests.run { client, fixture async throws in
            fixture.clock.advance(seconds: 100)
            let browser = try await Browser.signedIn(as: "ana", client)
            fixture.clock.advance(seconds: 3_000)
            let other = Browser(client)
            other.headers[.userAgent] = "curl/8.5.0 SECRET-MARK"
            try await other.signIn(as: "ana")
            fixture.clock.advance(seconds: 4_000)
            let reply = try await browser.get("/v1/me/sessions")
            let all = try #require(reply.json["sessions"]?.array)
            #expect(all.map { $0["label"]?.string } == ["A browser", "Firefox on Android"])
            #expect(all.map { $0["current"]?.bool } == [false, true])
            #expect(all[1]["last_used_at"]?.string == "2026-11-21T13:00:00Z")
            #expect(all[1]["created_at"]?.string == "2026-11-21T12:01:40Z")
            let text = String(decoding: reply.bytes, as: UTF8.self)
            let secret = try #require(browser.cookie).suffix(40)
            #expect(!text.contains("SECRET-MARK") && !text.contains(secret))
            let ben = try await Browser.signedIn(as: "ben", client)
            #expect(try await ben.get("/v1/me/sessions").json["sessions"]?.array?.count == 1)
        }
    }

    @Test("The database holds no secret and no User-Agent; the export holds the sessions, an erasure removes them")
    func personalData() async throws {
        try await PageSessionTests.run { client, fixture async throws in
            let browser = try await Browser.signedIn(as: "ana", client)
            let secret = try #require(browser.cookie)
            for ending in ["", "-wal"] {
                let stored = fixture.contents(ofFileEnding: ending)
                #expect(stored.range(of: Data(secret.suffix(49).utf8)) == nil)
                #expect(stored.range(of: Data("Gecko".utf8)) == nil)
            }
            let rows = try await fixture.library.store.read { transaction in
                var json = JSONWriter(capacity: 4_096)
                json.beginObject()
                try transaction.writePersonalRows(of: try #require(UserID("ana")), to: &json)
                json.endObject()
                return try JSONValue(parsing: json.bytes)
            }
            let session = try #require(rows["page_sessions"]?[0])
            #expect(session["label"]?.string == "Firefox on Android" && session["digest"] == nil)
            #expect(try await browser.send(.delete, "/v1/me").status == 200)
            let left = try await fixture.library.store.read { try $0.personalCounts(of: try #require(UserID("ana"))) }
            #expect(left.allSatisfy { $0.count == 0 })
        }
    }

    @Test(
        "A browser is named by its family alone",
        arguments: [
            ("Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/140.0 Safari/537.36 Edg/140", "Edge on Windows"),
            ("Mozilla/5.0 (X11; Linux x86_64) (KHTML, like Gecko) Chrome/140.0 Safari/537.36", "Chrome on Linux"),
            ("Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Safari/604", "Safari on iPhone"),
            ("Mozilla (Linux; Android 14; X) SamsungBrowser/24.0 Chrome/117", "Samsung Internet on Android"),
            ("", "A browser"), ("\u{202E}<b>", "A browser"),
            (String(repeating: "x", count: 2_000) + "Firefox/1", "A browser"),
        ]
    )
    func labels(agent: String, label: String) {
        #expect(BrowserLabel.label(userAgent: agent) == label)
        #expect(BrowserLabel.label(userAgent: nil) == "A browser")
    }

    @Test("Only the access token of a user that may also make keys begins a session, which has no more scopes")
    func exchange() async throws {
        try await PageSessionTests.run { client, fixture async throws in
            let ana = try #require(UserID("ana"))
            func exchange(_ token: String) async throws -> (Browser, Client.Reply) {
                let browser = Browser(client)
                return (browser, try await browser.send(.post, "/v1/session", #"{"token":"\#(token)"}"#))
            }
            let (_, key) = try await KeyTests.make(#"{"name":"A key"}"#, client)
            let device = try await KeyTests.make(#"{"name":"A phone","device":"phone"}"#, client).text
            let service = try await fixture.accounts.makeKey(
                .init(holder: .service(Accounts.serviceScopes), name: "app", days: nil)
            )
            for token in [key, device, service.text] {
                let refused = try await exchange(token).1
                #expect(refused.status == 403 && refused.headers[.setCookie] == nil)
            }
            let narrow = try await fixture.accounts.issueToken(for: ana, seconds: 60, scopes: [.storiesRead])
            #expect(try await exchange(narrow).1.status == 403)
            let some = try await fixture.accounts.issueToken(
                for: ana,
                seconds: 60,
                scopes: [.storiesRead, .accountManage, .actAs, .adminOps]
            )
            let (browser, reply) = try await exchange(some)
            #expect(reply.status == 201)
            let scopes = try await browser.get("/v1/me").json["scopes"]?.array
            #expect(scopes == [.string("account:manage"), .string("stories:read")])
            #expect(try await browser.get("/v1/me", ["Waymark-User": "ben"]).status == 401)
            for bad in ["", "{}", #"{"token":"x","code":"y"}"#, #"{"token":"a.b.c"}"#, #"{"demo_user":"ana"}"#] {
                let status = try await Browser(client).send(.post, "/v1/session", bad).status
                #expect([400, 401, 403, 422].contains(status), "\(bad)")
            }
        }
    }
}
