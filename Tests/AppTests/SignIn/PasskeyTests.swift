import App
import Library
import Formats
import HTTPTypes
import Storage
import Stories
import TestSupport
import Testing
import Web

@Suite("Passkeys")
struct PasskeyTests {
    static func code(_ reply: Client.Reply) -> String? {
        reply.json["type"]?.string?.split(separator: "/").last.map(String.init)
    }

    @Test("A passkey is added on the page, named, signs in alone for 30 days, shows its last use, and is removed")
    func life() async throws {
        try await PasskeyHolder.run { client, fixture async throws in
            #expect(try await Browser(client).get("/v1/session").json["ways"]?["passkeys"]?.bool == true)
            var ana = try await PasskeyHolder.signedIn(as: "ana", client, adds: false)
            let added = try await ana.add(name: "Ana’s phone")
            #expect(added.status == 201 && added.json["name"]?.string == "Ana’s phone")
            #expect(added.json["last_used_at"]?.isNull == true && added.json["works_here"]?.bool == true)
            let id = try #require(added.json["id"]?.string)
            #expect(added.headers[.location] == "/v1/me/passkeys/\(id)")
            fixture.clock.advance(seconds: 86_400)
            let other = Browser(client)
            let reply = try await ana.signIn(in: other)
            #expect(reply.status == 201 && reply.json["user"]?["id"]?.string == "ana")
            let set = try #require(reply.headers[.setCookie])
            #expect(set.hasSuffix("; Path=/; Max-Age=2592000; HttpOnly; SameSite=Lax"))
            let scopes = Scope.user.sorted().map { JSONValue.string($0.rawValue) }
            #expect(try await other.get("/v1/me").json["scopes"]?.array == scopes)
            let listed = try await other.get("/v1/me/passkeys").json
            #expect(listed["origin"]?.string == PasskeyHolder.origin)
            #expect(listed["passkeys"]?[0]?["last_used_at"]?.string == "2026-11-22T12:00:00Z")
            let ben = try await Browser.signedIn(as: "ben", client)
            #expect(try await ben.send(.delete, "/v1/me/passkeys/\(id)").status == 404)
            #expect(try await other.send(.delete, "/v1/me/passkeys/\(id)").status == 204)
            #expect(try await other.send(.delete, "/v1/me/passkeys/\(id)").status == 404)
            let late = try await ana.signIn(in: Browser(client))
            #expect(late.status == 403 && PasskeyTests.code(late) == "unknown-passkey")
            // The sessions that it began go on.
            #expect(try await other.user() == "ana")
        }
    }

    @Test("The question is the same for everybody, and names nobody")
    func question() async throws {
        try await PasskeyHolder.run { client, _ async throws in
            let ana = try await PasskeyHolder.signedIn(as: "ana", client)
            var (challenges, members): (Set<String>, Set<[String]>) = ([], [])
            for browser in [Browser(client), Browser(client), ana.browser, try await .signedIn(as: "cora", client)] {
                let asked = try await browser.send(.post, "/v1/session/passkey/challenge")
                #expect(asked.status == 200 && asked.headers[.cacheControl] == "no-store")
                challenges.insert(try #require(asked.json["challenge"]?.string))
                members.insert(try #require(asked.json.object).keys.sorted())
                #expect(asked.json["ticket"]?.string?.utf8.count == 142)
            }
            #expect(challenges.count == 4)
            #expect(members == [["challenge", "origin", "rp_id", "ticket", "timeout_ms"]])
        }
    }

    @Test("An answer signs in once; a challenge is answered within five minutes")
    func once() async throws {
        try await PasskeyHolder.run { client, fixture async throws in
            let ana = try await PasskeyHolder.signedIn(as: "ana", client)
            let asked = try await Browser(client).send(.post, "/v1/session/passkey/challenge").json
            let body = try ana.assertion(asked)
            let replies = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<8 {
                    group.addTask { try await Browser(client).send(.post, "/v1/session/passkey", body).status }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(replies.sorted() == [201] + Array(repeating: 410, count: 7))
            let late = try await Browser(client).send(.post, "/v1/session/passkey/challenge").json
            fixture.clock.advance(seconds: 300)
            let expired = try await Browser(client).send(.post, "/v1/session/passkey", try ana.assertion(late))
            #expect(expired.status == 410 && PasskeyTests.code(expired) == "passkey-expired")
        }
    }

    @Test("A new passkey is for the session that asked, once")
    func binding() async throws {
        try await PasskeyHolder.run { client, _ async throws in
            let ana = try await PasskeyHolder.signedIn(as: "ana", client, adds: false)
            let asked = try await ana.browser.send(.post, "/v1/me/passkeys/challenge").json
            let body = try ana.creation(asked)
            for user in ["ana", "ben"] {
                let other = try await Browser.signedIn(as: user, client)
                let refused = try await other.send(.post, "/v1/me/passkeys", body)
                #expect(refused.status == 403 && PasskeyTests.code(refused) == "passkey-other-question")
            }
            #expect(try await ana.browser.send(.post, "/v1/me/passkeys", body).status == 201)
            let again = try await ana.browser.send(.post, "/v1/me/passkeys", body)
            #expect(again.status == 410 && PasskeyTests.code(again) == "passkey-used")
            // A ticket for signing in adds nothing.
            let signing = try await ana.browser.send(.post, "/v1/session/passkey/challenge").json
            #expect(try await ana.browser.send(.post, "/v1/me/passkeys", try ana.creation(signing)).status == 403)
        }
    }

    @Test("A token adds no passkey, and neither does a session that may do less than its user")
    func rights() async throws {
        try await PasskeyHolder.run { client, fixture async throws in
            let ana = try #require(UserID("ana"))
            for path in ["/v1/me/passkeys/challenge", "/v1/me/passkeys"] {
                let body = #"{"ticket":"a","name":"A","attestation":"AA","client_data":"AA"}"#
                let reply = try await client.send(.post, path, as: "ana", path.hasSuffix("e") ? nil : body)
                #expect(reply.status == 403 && PasskeyTests.code(reply) == "page-only", "\(path)")
            }
            let begun = try await fixture.library.signIns.begin(
                for: ana,
                scopes: [.accountManage, .storiesRead],
                .init(label: "A browser", former: nil, client: nil)
            )
            let browser = Browser(client, cookie: begun.secret)
            #expect(try await browser.get("/v1/me/passkeys").status == 200)
            #expect(try await browser.send(.post, "/v1/me/passkeys/challenge").status == 403)
            // Nor another site's page, with the cookie of the browser.
            let full = try await Browser.signedIn(as: "ana", client)
            #expect(try await full.send(.post, "/v1/me/passkeys/challenge", asPage: false).status == 403)
            for path in ["/v1/session/passkey/challenge", "/v1/session/passkey"] {
                let more = ["Origin": "https://evil.example"]
                #expect(try await Browser(client).send(.post, path, "{}", more).status == 403)
            }
        }
    }

    @Test("A credential belongs to one account; a user has one handle, no id, and at most twenty passkeys")
    func limits() async throws {
        try await PasskeyHolder.run { client, _ async throws in
            var ana = try await PasskeyHolder.signedIn(as: "ana", client)
            let handle = ana.authenticator.handle
            #expect(!handle.isEmpty && !String(decoding: handle, as: UTF8.self).contains("ana"))
            var ben = try await PasskeyHolder.signedIn(as: "ben", client, adds: false)
            let taken = try await ben.add()
            #expect(taken.status == 409 && PasskeyTests.code(taken) == "known-passkey")
            #expect(ben.authenticator.handle != handle)
            for number in 2...20 {
                ana.authenticator = .es256(credential: [UInt8(number)], party: PasskeyHolder.id)
                #expect(try await ana.add(name: "\(number)").status == 201)
                #expect(ana.authenticator.handle == handle)
            }
            let full = try await ana.browser.send(.post, "/v1/me/passkeys/challenge")
            #expect(full.status == 409 && PasskeyTests.code(full) == "too-many-passkeys")
            #expect(try await ana.browser.get("/v1/me/passkeys").json["passkeys"]?.array?.count == 20)
        }
    }

    /// What is wrong with an answer, and the code that says so.
    enum Wrong: String, CaseIterable, Sendable {
        case origin = "passkey-other-origin"
        case site = "passkey-other-site"
        case presence = "passkey-nobody-there"
        case verification = "passkey-unverified"
        case challenge = "passkey-other-question"
        case credential = "unknown-passkey"
        case counter = "passkey-counter"
        case unreadable = "passkey-unreadable"
    }

    @Test("A wrong answer says why, begins no session and uses nothing up", arguments: Wrong.allCases)
    func wrong(wrong: Wrong) async throws {
        try await PasskeyHolder.run { client, _ async throws in
            var ana = try await PasskeyHolder.signedIn(as: "ana", client)
            ana.authenticator.counter = 5
            #expect(try await ana.signIn(in: Browser(client)).status == 201)
            ana.authenticator.counter = 6
            let right = ana.authenticator
            let browser = Browser(client)
            let asked = try await browser.send(.post, "/v1/session/passkey/challenge").json
            var body = ""
            switch wrong {
            case .origin: body = try ana.assertion(asked, origin: "https://evil.example")
            case .challenge:
                let other = try await browser.send(.post, "/v1/session/passkey/challenge").json
                body = try ana.assertion(asked)
                    .replacing(try #require(asked["ticket"]?.string), with: try #require(other["ticket"]?.string))
            case .site: ana.authenticator.party = "evil.example"
            case .presence: ana.authenticator.flags = SoftwareAuthenticator.verified
            case .verification: ana.authenticator.flags = SoftwareAuthenticator.present
            case .credential: ana.authenticator.credential = [9]
            case .counter: ana.authenticator.counter = 5
            case .unreadable:
                let data = Base64.encodeURL(ana.authenticator.assertionData)
                body = try ana.assertion(asked).replacing(data, with: "AAAA")
            }
            if body.isEmpty { body = try ana.assertion(asked) }
            let refused = try await browser.send(.post, "/v1/session/passkey", body)
            #expect(PasskeyTests.code(refused) == wrong.rawValue && refused.headers[.setCookie] == nil)
            #expect(refused.status == (wrong == .unreadable ? 422 : 403))
            #expect(try await browser.user() == nil)
            // The same challenge still takes the right answer, unless a valid signature used it up.
            ana.authenticator = right
            let later = try await browser.send(.post, "/v1/session/passkey", try ana.assertion(asked))
            #expect(later.status == (wrong == .counter ? 410 : 201))
        }
    }

    @Test("Another's handle, signature or credential signs nobody in, with the same words as an unknown one")
    func foreign() async throws {
        try await PasskeyHolder.run { client, _ async throws in
            let ana = try await PasskeyHolder.signedIn(as: "ana", client)
            let ben = try await PasskeyHolder.signedIn(as: "ben", client, credential: Array(2...9))
            var (unknown, handle, stolen) = (ana, ana, ben)
            unknown.authenticator.credential = [1, 2, 3]
            handle.authenticator.handle = ben.authenticator.handle
            stolen.authenticator.credential = ana.authenticator.credential
            stolen.authenticator.handle = ana.authenticator.handle
            var texts: Set<String> = []
            for holder in [unknown, handle, stolen] {
                let reply = try await holder.signIn(in: Browser(client))
                #expect(reply.status == 403)
                texts.insert(reply.json["detail"]?.string ?? "")
            }
            #expect(texts.count == 1)
        }
    }

    @Test("Signing in makes a new secret and ends the session that was there")
    func fixation() async throws {
        try await PasskeyHolder.run { client, _ async throws in
            let ana = try await PasskeyHolder.signedIn(as: "ana", client)
            let attacker = try await Browser.signedIn(as: "cora", client)
            let planted = try #require(attacker.cookie)
            let victim = Browser(client, cookie: planted)
            #expect(try await ana.signIn(in: victim).status == 201)
            #expect(victim.cookie != planted)
            #expect(try await victim.user() == "ana")
            #expect(try await attacker.get("/v1/me").status == 401)
        }
    }

    @Test(
        "A service without https or without a name says that there are no passkeys",
        arguments: ["http://stories.example.org", "https://192.0.2.1"]
    )
    func absent(publicURL: String) async throws {
        try await PasskeyHolder.run(publicURL: publicURL) { client, _ async throws in
            let ana = try await Browser.signedIn(as: "ana", client)
            #expect(try await ana.get("/v1/session").json["ways"]?["passkeys"]?.bool == false)
            #expect(try await ana.get("/v1/me/passkeys").json["origin"]?.isNull == true)
            for path in ["/v1/session/passkey/challenge", "/v1/me/passkeys/challenge"] {
                let reply = try await ana.send(.post, path)
                #expect(reply.status == 409 && PasskeyTests.code(reply) == "no-passkeys")
            }
        }
    }

    @Test("At localhost there are passkeys without https, for exactly the address that was asked")
    func local() async throws {
        try await PasskeyHolder.run(publicURL: nil) { client, _ async throws in
            var ana = try await PasskeyHolder.signedIn(as: "ana", client, adds: false)
            ana.authenticator.party = "localhost"
            let asked = try await ana.browser.send(.post, "/v1/me/passkeys/challenge").json
            #expect(asked["rp_id"]?.string == "localhost" && asked["origin"]?.string == "http://localhost")
            let cases = [("http://localhost:8080", 403), ("https://localhost", 403), ("http://localhost", 201)]
            for (origin, status) in cases {
                let body = try ana.creation(asked, origin: origin)
                #expect(try await ana.browser.send(.post, "/v1/me/passkeys", body).status == status, "\(origin)")
            }
        }
    }

    @Test("After ten wrong answers in an hour, an address waits")
    func limited() async throws {
        let fixture = try await ServiceFixture()
        var options = WaymarkService.Options()
        options.publicURL = PasskeyHolder.origin
        options.rateLimit = RateLimit(unitsPerSecond: 1_000, burst: 10_000)
        options.trustsProxy = true
        try await fixture.run(options: options) { client async throws in
            let from = ["X-Forwarded-For": "192.0.2.7"]
            let body = #"""
                {"ticket":"a","credential":"AA","user_handle":"AA","authenticator_data":"AA","client_data":"AA",
                "signature":"AA"}
                """#
            var statuses: [Int] = []
            for _ in 0..<12 {
                statuses.append(try await Browser(client).send(.post, "/v1/session/passkey", body, from).status)
            }
            #expect(statuses.prefix(10).allSatisfy { $0 == 403 } && statuses.last == 429, "\(statuses)")
        }
    }

    @Test("The export names passkeys without keys; an erasure removes them, and its receipt counts them")
    func personalData() async throws {
        try await PasskeyHolder.run { client, fixture async throws in
            let holder = try await PasskeyHolder.signedIn(as: "ana", client)
            let ana = try #require(UserID("ana"))
            let rows = try await fixture.library.store.read { transaction in
                var json = JSONWriter(capacity: 4_096)
                json.beginObject()
                try transaction.writePersonalRows(of: ana, to: &json)
                json.endObject()
                return try JSONValue(parsing: json.bytes)
            }
            let shown = try #require(rows["passkeys"]?[0]?.object)
            #expect(shown.keys.sorted() == ["created_at", "id", "name", "party", "synced", "used_at"])
            #expect(try await holder.browser.send(.delete, "/v1/me").status == 200)
            let left = try await fixture.library.store.read { try $0.personalCounts(of: ana) }
            #expect(left.contains { $0.name == "passkeys" } && left.allSatisfy { $0.count == 0 })
            #expect(try await holder.signIn(in: Browser(client)).status == 403)
        }
    }

    @Test("A removed passkey does not come back with an older copy of the database")
    func restored() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        let ana = try #require(UserID("ana"))
        let ids = [StoryID(high: 1, low: 1), StoryID(high: 2, low: 2)]
        let now = fixture.clock.now
        try await fixture.library.store.write { transaction in
            for (number, id) in ids.enumerated() {
                try transaction.insert(
                    StoredPasskey(
                        id: id,
                        credential: [UInt8(number)],
                        user: ana,
                        handle: [1],
                        party: PasskeyHolder.id,
                        name: "A",
                        algorithm: -7,
                        key: [1],
                        counter: .max,
                        isSynced: true,
                        createdAt: now
                    )
                )
            }
        }
        let stored = try await fixture.library.passkeys.passkeys(of: ana)
        #expect(stored.map(\.id) == ids && stored.allSatisfy { $0.counter == .max && $0.isSynced })
        let copy = try TemporaryFolder()
        try fixture.closeAndCopy(to: copy)
        let second = try await ServiceFixture(of: fixture)
        try await second.library.passkeys.remove(ids[0], of: ana)
        try second.closeAndPutBack(copy)
        let again = try await ServiceFixture(of: fixture)
        #expect(try await again.library.passkeys.passkeys(of: ana).map(\.id) == [ids[1]])
    }
}
