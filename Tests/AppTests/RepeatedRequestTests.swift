import App
import Foundation
import Formats
import GRDB
import HTTPTypes
import Library
import Storage
import Stories
import TestSupport
import Testing
import Web

@Suite("Repeated requests with an Idempotency-Key")
struct RepeatedRequestTests {
    /// Routes that change something and take no key, with the reason.
    private static let without: [String: String] = [
        "POST /v1/tokens/refresh": "a used refresh token ends the whole sign-in, so that a stolen one is noticed",
        "POST /v1/tokens/revoke": "a revoked token stays revoked",
        "POST /v1/session": "begins a session: an unused one is listed, and ends by itself",
        "POST /v1/session/code": "only looks at a code",
        "POST /v1/session/email": "nobody is known yet; the number of e-mails is limited",
        "POST /v1/session/passkey/challenge": "a challenge changes nothing",
        "POST /v1/session/passkey": "begins a session: a challenge is used once",
        "POST /v1/invitations/{invitation}/join": "a link makes one account",
        "POST /v1/invitations/{invitation}/provider": "only leads to the provider",
        "POST /v1/unsubscribe": "what is switched off stays off",
        "POST /ingest/owntracks": "the app has no such header; positions are recognised by their time",
        "POST /v1/traces": "positions are recognised by their time, so that an interrupted trace goes on when repeated",
        "POST /v1/walk": "changes nothing",
        "POST /ingest/osmand": "the app has no such header; positions are recognised by their time",
        "POST /ingest/ulogger/client/index.php": "the app has no such header; positions are recognised by their time",
        "POST /ingest/overland": "the app has no such header; positions are recognised by their time",
    ]

    @Test("Every route that changes something takes a key, changes nothing when repeated, or says why not")
    func everyRoute() async throws {
        try await ServiceFixture()
            .run { client async throws in
                let document = try await client.get("/openapi.json").json
                var unused = Set(RepeatedRequestTests.without.keys)
                for (path, operations) in try #require(document["paths"]?.object) {
                    for (method, operation) in try #require(operations.object)
                    where ["post", "patch", "put", "delete"].contains(method) {
                        let name = "\(method.uppercased()) \(path)"
                        let names = operation["parameters"]?.array?.compactMap { $0["name"]?.string } ?? []
                        let takesKey = names.contains("Idempotency-Key")
                        let isNatural = method == "put" || method == "delete"
                        let isListed = RepeatedRequestTests.without[name] != nil
                        unused.remove(name)
                        #expect(takesKey != (isNatural || isListed), "\(name)")
                    }
                }
                #expect(unused == [], "reasons for routes that are no more")
            }
    }

    private static func headers(_ key: String) -> HTTPFields { [.idempotencyKey: key] }

    private static func rows(_ fixture: ServiceFixture) throws -> Int? {
        try fixture.library.store.inspect { try Int.fetchOne($0, sql: "SELECT count(*) FROM request_answers") }
    }

    private static func families(_ client: Client) async throws -> Int {
        try await client.get("/v1/families", as: "ana").json["families"]?.array?.count ?? -1
    }

    @Test("REL-02 A repetition gets the first answer and changes nothing; another body is 422; keys are a user's own")
    func repeated() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture.run { client async throws in
            let path = "/v1/families"
            let before = try await RepeatedRequestTests.families(client)
            let body = #"{"name":"Ours"}"#
            let key = RepeatedRequestTests.headers("one")
            let first = try await client.send(.post, path, as: "ana", body, headers: key)
            #expect(first.status == 201)
            for _ in 0..<3 {
                let again = try await client.send(.post, path, as: "ana", body, headers: key)
                #expect(again.status == 201 && again.bytes == first.bytes)
                #expect(again.headers[.location] == first.headers[.location])
            }
            #expect(try await RepeatedRequestTests.families(client) == before + 1)
            let other = try await client.send(.post, path, as: "ana", #"{"name":"Theirs"}"#, headers: key)
            #expect(other.status == 422 && other.json["type"]?.string == "/problems/key-reused")
            // The key is one of this user and this route.
            let ben = try await client.send(.post, path, as: "ben", body, headers: key)
            #expect(ben.status == 201 && ben.bytes != first.bytes)
            let title = #"{"title":"A"}"#
            #expect(try await client.send(.post, "/v1/collections", as: "ana", title, headers: key).status == 201)
            let long = RepeatedRequestTests.headers(String(repeating: "k", count: 256))
            #expect(try await client.send(.post, path, as: "ana", body, headers: long).status == 400)
            // Without a key, or after a day, it is a new request.
            #expect(try await client.send(.post, path, as: "ana", body).status == 201)
            fixture.clock.advance(seconds: 86_401)
            let late = try await client.send(.post, path, as: "ana", body, headers: key)
            #expect(late.status == 201 && late.bytes != first.bytes)
            #expect(try await RepeatedRequestTests.families(client) == before + 3)
            try await fixture.library.rights.retention.forgetStaleRequests()
            #expect(try RepeatedRequestTests.rows(fixture) == 1)
        }
    }

    @Test("REL-02 A clock that is set forward a day does not make a repetition a new request")
    func clockSetForward() async throws {
        let fixture = try await ServiceFixture(isSteady: true)
        try await fixture.makeFamilies()
        try await fixture.pass(seconds: 60)
        try await fixture.run { client async throws in
            let key = RepeatedRequestTests.headers("one")
            let requests = [
                ("/v1/families", #"{"name":"Ours"}"#), ("/v1/stories", #"{"kind":"photo","title":"Once"}"#),
            ]
            var first: [String?] = []
            for (path, body) in requests {
                let reply = try await client.send(.post, path, as: "ana", body, headers: key)
                #expect(reply.status == 201)
                first.append(reply.json["id"]?.string)
            }
            fixture.clock.advance(seconds: 90_000)
            try await fixture.pass(seconds: 60)
            #expect(fixture.library.now() == fixture.clock.now, "the new time is believed")
            for ((path, body), id) in zip(requests, first) {
                let reply = try await client.send(.post, path, as: "ana", body, headers: key)
                #expect((200..<300).contains(reply.status) && reply.json["id"]?.string == id, "\(path)")
            }
            // After a day that has gone by it is one.
            fixture.clock.advance(seconds: 90_000)
            fixture.running.advance(seconds: 90_000)
            for _ in 0..<3 { try await fixture.pass(seconds: 60) }
            fixture.running.advance(seconds: 700_000)
            fixture.clock.advance(seconds: 700_000)
            for _ in 0..<3 { try await fixture.pass(seconds: 60) }
            for ((path, body), id) in zip(requests, first) {
                let reply = try await client.send(.post, path, as: "ana", body, headers: key)
                #expect(reply.status == 201 && reply.json["id"]?.string != id, "\(path)")
            }
        }
    }

    @Test("A request that failed may be repeated under its key, and then counts")
    func failed() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture.run { client async throws in
            let key = RepeatedRequestTests.headers("one")
            let bad = try await client.send(.post, "/v1/families", as: "ana", #"{"name":""}"#, headers: key)
            #expect(bad.status == 422)
            let good = try await client.send(.post, "/v1/families", as: "ana", #"{"name":"Ours"}"#, headers: key)
            #expect(good.status == 201)
        }
    }

    @Test("A new key is shown again to its repetition, and to nobody who reads the database")
    func sealed() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture.run { client async throws in
            let body = #"{"name":"script","scopes":["stories:read"]}"#
            let key = RepeatedRequestTests.headers("a key that only the client knows")
            let first = try await client.send(.post, "/v1/me/keys", as: "ana", body, headers: key)
            #expect(first.status == 201)
            let again = try await client.send(.post, "/v1/me/keys", as: "ana", body, headers: key)
            #expect(again.bytes == first.bytes)
            let secret = try #require(first.json["key"]?.string)
            for ending in ["", "-wal"] {
                let bytes = fixture.contents(ofFileEnding: ending)
                #expect(bytes.firstRange(of: Data(secret.utf8)) == nil)
                #expect(bytes.firstRange(of: Data("only the client knows".utf8)) == nil)
            }
            // It is a record about the user, and goes with the account.
            #expect(try await client.send(.delete, "/v1/me", as: "ana").status == 200)
            #expect(try RepeatedRequestTests.rows(fixture) == 0)
        }
    }

    @Test("REL-02 While a request is under way its repetition is 409; after a lost answer it is not carried out again")
    func underWay() async throws {
        let fixture = try await ServiceFixture()
        let answers = RequestAnswers(context: fixture.library.context)
        let now = fixture.clock.now
        let ana = try #require(UserID("ana"))
        try await fixture.library.store.write { try $0.save(User(id: ana, name: "Ana"), at: now) }
        let request = RequestAnswers.KeyedRequest(
            route: "POST /v1/x",
            key: "k",
            content: [1],
            principal: Principal(viewer: Viewer(user: ana), scopes: [], account: "ana")
        )
        @Sendable func change() async throws -> [UInt8]? {
            try await fixture.library.store.write { try $0.save(User(id: ana, name: "Ana Maria"), at: now) }
            return [7]
        }
        let outcome = try await answers.once(request) {
            let inner = await #expect(throws: Refusal.self) { try await answers.once(request) { [1] } }
            #expect(inner?.code == "request-under-way" && inner?.kind == .conflict)
            return try await change()
        }
        #expect(outcome.answer == [7] && !outcome.isRepetition)
        // The process ends after the commit and before the answer is stored.
        try fixture.library.store.inspect { try $0.execute(sql: "UPDATE request_answers SET answer = NULL") }
        let lost = await #expect(throws: Refusal.self) { try await answers.once(request) { try await change() } }
        #expect(lost?.code == "already-done" && lost?.kind == .conflict)
    }

    @Test("REL-02 The record of a request and its change are stored together, or neither is")
    func together() async throws {
        let fixture = try await ServiceFixture()
        let answers = RequestAnswers(context: fixture.library.context)
        let (now, ana) = (fixture.clock.now, try #require(UserID("ana")))
        try await fixture.library.store.write { try $0.save(User(id: ana, name: "Ana"), at: now) }
        try fixture.library.store.inspect { _ = try $0.checkpoint(.truncate) }
        let request = RequestAnswers.KeyedRequest(
            route: "POST /v1/x",
            key: "k",
            content: [1],
            principal: Principal(viewer: Viewer(user: ana), scopes: [], account: "ana")
        )
        // The first write into an empty log waits for the disk twice.
        try await fixture.library.store.write { try $0.save(User(id: ana, name: "Ana M."), at: now) }
        try FaultyLog.failNextSync(of: fixture.library.store)
        await #expect(throws: StoreError.self) {
            try await answers.once(request) {
                try await fixture.library.store.write { try $0.save(User(id: ana, name: "Ana Maria"), at: now) }
                return [7]
            }
        }
        try fixture.library.store.close()
        let next = try await ServiceFixture(of: fixture)
        let name = try await next.library.store.read { try $0.user(ana)?.name }
        let rows = try RepeatedRequestTests.rows(next)
        #expect((name == "Ana Maria") == (rows == 1))
        let renewed = RequestAnswers(context: next.library.context)
        if rows == 1 {
            let lost = await #expect(throws: Refusal.self) { try await renewed.once(request) { [7] } }
            #expect(lost?.code == "already-done")
        } else {
            #expect(try await renewed.once(request) { [8] }.answer == [8])
        }
    }
}
