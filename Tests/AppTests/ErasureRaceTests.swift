import App
import Library
import Formats
import Foundation
import HTTPTypes
import Storage
import Stories
import TestSupport
import Testing

@Suite("Concurrent requests during an erasure", .timeLimit(.minutes(30)))
struct ErasureRaceTests {
    /// Rows that hold something of a user.
    private func remains(of user: UserID, _ fixture: ServiceFixture) async throws -> [String] {
        try await fixture.library.store.read { transaction in
            try transaction.personalCounts(of: user).filter { $0.count > 0 }.map(\.name)
        }
    }

    @Test(
        "NTF-09 A user erased between authentication and their change is as unknown as at the next request",
        arguments: [
            ("PUT", "/v1/me/notification-settings", #"{"enabled":false}"#),
            ("PUT", "/v1/me/notification-settings", #"{"enabled":true}"#),
            ("POST", "/v1/stories", #"{"kind":"photo","title":"x","location":{"lat":1,"lon":2}}"#),
            ("POST", "/v1/me/channels", #"{"kind":"ntfy","target":{"url":"https://ntfy.example/","topic":"one"}}"#),
            ("POST", "/v1/fixes", #"{"device":"a","fixes":[{"t":"2026-11-22T12:00:00Z","lat":1,"lon":2,"acc":8}]}"#),
            ("POST", "/v1/families", #"{"name":"Whitfield"}"#),
            ("POST", "/v1/me/keys", #"{"name":"x","scopes":["stories:read"]}"#),
            ("POST", "/v1/collections", #"{"title":"Summers"}"#),
        ]
    )
    func late(method: String, path: String, body: String) async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        let dora = try #require(UserID("dora"))
        try await fixture.library.store.write { try $0.save(User(id: dora, name: "Dora"), at: fixture.clock.now) }
        let token = try await fixture.accounts.issueToken(for: dora, seconds: 3_600)
        fixture.clock.advance(seconds: 2)
        try await LiveServer.run(fixture) { port in
            let head =
                "\(method) \(path) HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n"
                + "Authorization: Bearer \(token)\r\nContent-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n"
            try await RawConnection.open(port) { connection in
                try await connection.send(head)
                // Leave to send the body comes when it is known who asks.
                #expect(try await connection.read(until: "HTTP/1.1 100 Continue\r\n\r\n"))
                #expect(try await fixture.library.rights.erasures.eraseAccount(of: dora) != nil)
                try await connection.send(body)
                let answer = try await connection.readToEnd()
                    .replacingOccurrences(
                        of: "HTTP/1.1 100 Continue\r\n\r\n",
                        with: ""
                    )
                // Fixes of somebody who agreed to nothing are taken and kept nowhere.
                let isTaken = path == "/v1/fixes" && answer.contains(#""accepted":0"#)
                #expect(answer.hasPrefix("HTTP/1.1 4") || isTaken, "\(answer)")
                #expect(!answer.hasPrefix("HTTP/1.1 42"), "the request of the test is wrong: \(answer)")
            }
        }
        #expect(try await remains(of: dora, fixture) == [])
        #expect(try await fixture.library.store.read { try $0.user(dora) } == nil)
    }

    @Test("NTF-09 Withdrawing consent removed with the account is not a service error")
    func withdrawal() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        let ana = try #require(UserID("ana"))
        #expect(try await fixture.library.rights.erasures.eraseAccount(of: ana) != nil)
        let failure = await #expect(throws: StoreError.self) {
            try await fixture.library.rights.settings.withdrawConsents(of: ana, source: .app)
        }
        #expect(failure?.code == .vanished)
        #expect(try await remains(of: ana, fixture) == [])
    }

    @Test("NTF-09 Withdrawals during an account erasure succeed or are rejected, but never fail")
    func together() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture.run { client async throws in
            for round in 0..<25 { try await self.race(round, fixture, client) }
        }
    }

    private func race(_ round: Int, _ fixture: ServiceFixture, _ client: Client) async throws {
        let user = try #require(UserID("user\(round)"))
        let token = try await fixture.accounts.issueToken(for: user, seconds: 3_600)
        let headers: HTTPFields = [.authorization: "Bearer " + token]
        let settings = "/v1/me/notification-settings"
        #expect(try await client.send(.put, settings, #"{"enabled":true}"#, headers: headers).status == 200)
        let target = #"{"kind":"ntfy","target":{"url":"https://ntfy.example/","topic":"t\#(round)"}}"#
        let channel = try await client.send(.post, "/v1/me/channels", target, headers: headers).json["id"]?.string
        let story = try await client.send(.post, "/v1/stories", #"{"kind":"photo","title":"x"}"#, headers: headers)
            .json["id"]?
            .string
        fixture.clock.advance(seconds: 2)
        let requests: [(HTTPRequest.Method, String, String?)] = [
            (.delete, "/v1/me/consents", nil), (.put, settings, #"{"enabled":false}"#), (.delete, "/v1/me", nil),
            (.delete, "/v1/me/location-data", nil), (.delete, "/v1/me/consents", nil),
            (.delete, "/v1/me/channels/\(channel ?? "")", nil), (.put, settings, #"{"enabled":true}"#),
            (.delete, "/v1/stories/\(story ?? "")", nil), (.delete, "/v1/me/sessions", nil),
            (.post, "/v1/stories", #"{"kind":"photo","title":"y"}"#), (.delete, "/v1/me/consents", nil),
        ]
        try await withThrowingTaskGroup(of: (String, Int).self) { group in
            for (number, (method, path, body)) in requests.enumerated() {
                group.addTask {
                    // Sooner or later in the erasure.
                    for _ in 0..<(number * round % 17) { await Task.yield() }
                    let reply = try await client.send(method, path, body, headers: headers)
                    return ("\(method) \(path): \(String(decoding: reply.bytes, as: UTF8.self))", reply.status)
                }
            }
            for try await (what, status) in group {
                #expect([200, 201, 204, 401, 404, 409].contains(status), "\(status) \(what)")
            }
        }
        #expect(try await fixture.library.store.read { try $0.unfinishedErasures() } == [])
    }
}
