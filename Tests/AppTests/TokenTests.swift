import App
import Library
import Crypto
import Foundation
import HTTPTypes
import Storage
import Stories
import Testing
import TestSupport

@Suite("Tokens")
struct TokenTests {
    @Test("A route that needs a token gives 401 without one, before any other check")
    func missing() async throws {
        try await ServiceFixture()
            .run { client async throws in
                for (method, path) in [
                    (HTTPRequest.Method.post, "/v1/stories"), (.get, "/v1/notifications"), (.post, "/v1/fixes"),
                    (.delete, "/v1/stories/nonsense"), (.get, "/v1/me/notification-settings"),
                ] {
                    let reply = try await client.send(method, path, as: nil, "not json")
                    #expect(reply.status == 401, "\(path)")
                    #expect(reply.headers[.wwwAuthenticate] == "Bearer")
                }
            }
    }

    @Test(
        "An invalid or foreign token gives 401, even where none is needed",
        arguments: [
            "Bearer abc", "Bearer a.b.c", "Basic YTpi", "Bearer", "Bearer  ", "ey",
            "Bearer \(String(repeating: "a", count: 9_000))",
        ]
    )
    func bad(header: String) async throws {
        try await ServiceFixture()
            .run { client async throws in
                #expect(try await client.get("/v1/stories", headers: [.authorization: header]).status == 401)
            }
    }

    @Test("RFC 8725: an unsigned token and one signed with another key are rejected")
    func forged() async throws {
        try await ServiceFixture()
            .run { client async throws in
                let claims = "{\"sub\":\"ana\",\"iss\":\"waymark\",\"iat\":1795262000,\"exp\":1795269999}"
                func part(_ text: String) -> String { base64url(Data(text.utf8)) }
                let unsigned = part("{\"alg\":\"none\",\"typ\":\"at+jwt\"}") + "." + part(claims) + "."
                let signed = part("{\"alg\":\"HS256\",\"typ\":\"at+jwt\"}") + "." + part(claims)
                let code = HMAC<SHA256>
                    .authenticationCode(
                        for: Data(signed.utf8),
                        using: SymmetricKey(data: [UInt8](repeating: 1, count: 32))
                    )
                for token in [unsigned, signed + "." + base64url(Data(code))] {
                    let reply = try await client.get("/v1/stories", headers: [.authorization: "Bearer " + token])
                    #expect(reply.status == 401)
                }
            }
    }

    @Test("A token expires at its stated time")
    func expiry() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            let user = try #require(UserID("ana"))
            let token = try await client.accounts.issueToken(for: user, seconds: 60)
            let headers: HTTPFields = [.authorization: "Bearer " + token]
            #expect(try await client.get("/v1/notifications", headers: headers).status == 200)
            fixture.clock.advance(seconds: 61)
            #expect(try await client.get("/v1/notifications", headers: headers).status == 401)
        }
    }

    @Test("A removed user's token is not valid for a new user of the same name")
    func removedUser() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            let user = try #require(UserID("eve"))
            let beginning = fixture.clock.now
            try await fixture.library.store.write { try $0.ensureUser(user, at: beginning) }
            let token = try await client.accounts.issueToken(for: user, seconds: 3_600)
            let headers: HTTPFields = [.authorization: "Bearer " + token]
            #expect(try await client.get("/v1/notifications", headers: headers).status == 200)
            fixture.clock.advance(seconds: 60)
            #expect(try await fixture.library.rights.erasures.removeUser(user))
            fixture.clock.advance(seconds: 1)
            let now = fixture.clock.now
            try await fixture.library.store.write { try $0.save(User(id: user, name: "Another Eve"), at: now) }
            #expect(try await client.get("/v1/notifications", headers: headers).status == 401)
            #expect(try await client.get("/v1/notifications", as: "eve").status == 200)
        }
    }

    @Test("A valid token of an unknown user creates the user on the first change, not when reading")
    func unknownUser() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            #expect(try await client.get("/v1/notifications", as: "newcomer").status == 200)
            let user = try #require(UserID("newcomer"))
            #expect(try await fixture.library.viewer(of: user) == nil)
            _ = try await client.create(as: "newcomer", title: "Here")
            #expect(try await fixture.library.viewer(of: user) == Viewer(user: user))
        }
    }
}
