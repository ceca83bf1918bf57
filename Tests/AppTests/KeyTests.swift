import App
import Library
import Foundation
import Formats
import HTTPTypes
import Storage
import Stories
import TestSupport
import Testing

@Suite("API keys")
struct KeyTests {
    static func bearer(_ text: String) -> HTTPFields { [.authorization: "Bearer " + text] }

    /// Makes a key over HTTP and returns its id and text.
    static func make(
        _ body: String,
        as user: String = "ana",
        _ client: Client
    ) async throws -> (id: String, text: String) {
        let reply = try await client.send(.post, "/v1/me/keys", as: user, body)
        #expect(reply.status == 201, "\(String(decoding: reply.bytes, as: UTF8.self))")
        return (try #require(reply.json["id"]?.string), try #require(reply.json["key"]?.string))
    }

    @Test("A key is shown once, listed without its secret, and works until its deletion takes effect immediately")
    func life() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            let (id, text) = try await KeyTests.make("{\"name\":\"Laptop\"}", client)
            #expect(text.wholeMatch(of: /wm_live_[0-9A-Za-z]{8}_[0-9A-Za-z]{49}/) != nil && text.contains("_\(id)_"))
            #expect(try await client.get("/v1/me", headers: KeyTests.bearer(text)).json["id"]?.string == "ana")
            let list = try await client.get("/v1/me/keys", as: "ana")
            let key = try #require(list.json["keys"]?[0])
            #expect(key["id"]?.string == id && key["key"] == nil && key["name"]?.string == "Laptop")
            #expect(key["last_used_at"]?.string == "2026-11-21T12:00:00Z")
            #expect(!String(decoding: list.bytes, as: UTF8.self).contains(text.suffix(40)))
            #expect(try await client.get("/v1/me/keys", as: "ben").json["keys"]?.array?.isEmpty == true)
            let foreign = try await client.send(.delete, "/v1/me/keys/\(id)", as: "ben")
            let absent = try await client.send(.delete, "/v1/me/keys/00000000", as: "ben")
            #expect(foreign.status == 404 && foreign.bytes == absent.bytes)
            #expect(try await client.send(.delete, "/v1/me/keys/\(id)", as: "ana").status == 204)
            #expect(try await client.get("/v1/me", headers: KeyTests.bearer(text)).status == 401)
            #expect(try await client.send(.delete, "/v1/me/keys/\(id)", as: "ana").status == 404)
        }
    }

    @Test("Neither the database nor the log file contains a key or refresh token, only their digests")
    func atRest() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            let (_, key) = try await KeyTests.make("{\"name\":\"Laptop\"}", client)
            let pair = try await client.accounts.signIn(try #require(UserID("ana")))
            let next = try #require(try await SessionTests.refresh(pair.refresh, client).json["refresh_token"]?.string)
            var stored = Data()
            for name in ["waymark.db", "waymark.db-wal"] {
                stored += try Data(contentsOf: URL(fileURLWithPath: fixture.folder.path(name)))
            }
            #expect(stored.count > 10_000)
            for text in [key, pair.refresh, next] {
                let secret = text.split(separator: "_").last ?? ""
                for part in [text[...], secret, secret.prefix(20), secret.dropFirst(20).prefix(20)] {
                    #expect(stored.range(of: Data(part.utf8)) == nil)
                }
            }
            #expect(stored.range(of: Data(key.split(separator: "_")[2].utf8)) != nil)
        }
    }

    @Test("A wrong secret, an unknown id, a typing error and a missing key give the same bytes")
    func oneAnswer() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            let (id, text) = try await KeyTests.make("{\"name\":\"Laptop\"}", client)
            let (other, second) = try await KeyTests.make("{\"name\":\"Phone\"}", client)
            let typed = text.dropLast() + (text.last == "A" ? "B" : "A")
            let swapped = second.replacing(other, with: id)
            var answers: Set<[UInt8]> = []
            for bad in [
                String(typed), swapped, text.replacing(id, with: "00000000"), "wm_live_", text + "x", "wm_test_x", "x",
            ] {
                let reply = try await client.get("/v1/me", headers: KeyTests.bearer(bad))
                #expect(reply.status == 401, "\(bad.prefix(20))")
                answers.insert(reply.bytes)
            }
            #expect(answers.count == 1)
            // With the right checksum, so that the id and the secret themselves are compared.
            for forged in [
                KeyForge.key(id: id, secret: [UInt8](repeating: 7, count: 32)),
                KeyForge.key(id: "zzzzzzzz", secret: [UInt8](repeating: 7, count: 32)),
            ] {
                let reply = try await client.get("/v1/me", headers: KeyTests.bearer(forged))
                #expect(reply.status == 401 && answers.contains(reply.bytes))
            }
            #expect(try await client.get("/v1/me?key=\(text)").status == 401)
        }
    }

    @Test("A key expires on its day, and its use is recorded once an hour")
    func times() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            let (id, text) = try await KeyTests.make("{\"name\":\"Laptop\",\"days\":2}", client)
            func used() async throws -> Timestamp? { try await fixture.library.store.read { try $0.key(id)?.usedAt } }
            #expect(try await used() == nil)
            fixture.clock.advance(seconds: 3_600 + 61)
            #expect(try await client.get("/v1/me", headers: KeyTests.bearer(text)).status == 200)
            let first = try await used()
            #expect(first == Timestamp(milliseconds: 1_795_266_000_000))
            fixture.clock.advance(seconds: 3_000)
            _ = try await client.get("/v1/me", headers: KeyTests.bearer(text))
            #expect(try await used() == first)
            fixture.clock.advance(seconds: 2 * 86_400 - 3_600 - 61 - 3_000 - 1)
            #expect(try await client.get("/v1/me", headers: KeyTests.bearer(text)).status == 200)
            fixture.clock.advance(seconds: 1)
            #expect(try await client.get("/v1/me", headers: KeyTests.bearer(text)).status == 401)
        }
    }

    @Test("A key grants no more than the token that creates it, and never covers others or the service")
    func ceiling() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            let user = try #require(UserID("ana"))
            let token = try await client.accounts.issueToken(
                for: user,
                seconds: 600,
                scopes: [.accountManage, .storiesRead, .adminOps]
            )
            let headers = KeyTests.bearer(token)
            func make(_ body: String) async throws -> Client.Reply {
                try await client.send(.post, "/v1/me/keys", body, headers: headers)
            }
            for scopes in [
                "[\"stories:write\"]", "[\"stories:read\",\"family:read\"]", "[\"act-as\"]", "[\"admin:ops\"]", "[]",
            ] {
                let reply = try await make("{\"name\":\"x\",\"scopes\":\(scopes)}")
                #expect(reply.status == 422 && reply.json["errors"]?[0]?["field"]?.string == "scopes", "\(scopes)")
            }
            #expect(try await make("{\"name\":\"x\",\"device\":\"phone\"}").status == 422)
            #expect(try await make("{\"name\":\"x\",\"scopes\":[\"everything\"]}").status == 422)
            let all = try await make("{\"name\":\"x\"}").json
            #expect(all["scopes"] == .array([.string("account:manage"), .string("stories:read")]))
            let narrow = try await make("{\"name\":\"x\",\"scopes\":[\"stories:read\"]}").json["key"]?.string ?? ""
            #expect(try await client.get("/v1/stories", headers: KeyTests.bearer(narrow)).status == 200)
            #expect(try await client.get("/v1/me/keys", headers: KeyTests.bearer(narrow)).status == 403)
            let made = try await client.send(.post, "/v1/stories", "{}", headers: KeyTests.bearer(narrow))
            #expect(made.status == 403 && made.json["type"]?.string == "/problems/scope-missing")
        }
    }

    @Test("A user has at most fifty keys; an expired one makes room")
    func most() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            _ = try await KeyTests.make("{\"name\":\"short\",\"days\":1}", client)
            for number in 1..<50 { _ = try await KeyTests.make("{\"name\":\"\(number)\"}", client) }
            let reply = try await client.send(.post, "/v1/me/keys", as: "ana", "{\"name\":\"51\"}")
            #expect(reply.status == 409 && reply.json["type"]?.string == "/problems/too-many-keys")
            _ = try await KeyTests.make("{\"name\":\"of another\"}", as: "ben", client)
            fixture.clock.advance(seconds: 86_400)
            _ = try await KeyTests.make("{\"name\":\"51\"}", client)
            #expect(try await client.get("/v1/me/keys", as: "ana").json["keys"]?.array?.count == 50)
        }
    }

    @Test("A device's key only sends positions, which count for its device whatever the body says")
    func device() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            _ = try await client.create(as: "ben", title: "Near")
            let (_, text) = try await KeyTests.make("{\"name\":\"My phone\",\"device\":\"phone\"}", client)
            _ = try await client.send(.put, "/v1/me/notification-settings", as: "ana", "{\"enabled\":true}")
            let body = """
                {"device":"another","fixes":[{"t":"2026-11-21T12:00:00Z","lat":33.7554,"lon":-84.3736,"acc":5}]}
                """
            let reply = try await client.send(.post, "/v1/fixes", body, headers: KeyTests.bearer(text))
            #expect(reply.status == 200 && reply.json["accepted"]?.integer == 1)
            let devices = try fixture.library.store.inspectDevices()
            #expect(devices == ["phone"])
            for (method, path) in [
                (HTTPRequest.Method.get, "/v1/me"), (.get, "/v1/stories"), (.get, "/v1/notifications"),
                (.get, "/v1/me/keys"), (.post, "/v1/me/keys"), (.patch, "/v1/me"), (.delete, "/v1/me/sessions"),
            ] {
                let refused = try await client.send(method, path, "{}", headers: KeyTests.bearer(text))
                #expect(refused.status == 403 && refused.json["type"]?.string == "/problems/scope-missing", "\(path)")
            }
        }
    }
}
