import Library
import App
import Formats
import HTTPTypes
import Stories
import TestSupport
import Testing

@Suite("Own account and development mode")
struct AccountEndpointTests {
    @Test("Users can read their account and change their name and e-mail address")
    func me() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture.run { client async throws in
            let before = try await client.get("/v1/me", as: "ana").json
            #expect(before["id"]?.string == "ana" && before["name"]?.string == "Ana" && before["email"] == .null)
            #expect(before["created_at"]?.string == "2026-11-21T12:00:00Z")
            #expect(before["scopes"]?.array?.count == Scope.user.count)
            let body = "{\"name\":\"Ana W.\",\"email\":\"ana@example.org\"}"
            let after = try await client.send(.patch, "/v1/me", as: "ana", body)
            #expect(after.status == 200 && after.json["name"]?.string == "Ana W.")
            #expect(try await client.get("/v1/me", as: "ana").json["email"]?.string == "ana@example.org")
            _ = try await client.send(.patch, "/v1/me", as: "ana", "{\"email\":null}")
            let last = try await client.get("/v1/me", as: "ana").json
            #expect(last["email"] == .null && last["name"]?.string == "Ana W.")
            // Whether somebody else has the address is nobody's business.
            for user in ["ben", "cora"] {
                let same = "{\"email\":\"same@example.org\"}"
                #expect(try await client.send(.patch, "/v1/me", as: user, same).status == 200)
            }
        }
    }

    @Test(
        "An invalid name or address is rejected by field and changes nothing",
        arguments: [
            ("{\"name\":\"\"}", "name"), ("{\"name\":null}", "name"), ("{\"email\":\"ana\"}", "email"),
            ("{\"email\":\"@example.org\"}", "email"), ("{\"email\":\"a@b@c\"}", "email"),
            ("{\"email\":\"a@b\\nBcc: c@d\"}", "email"), ("{\"email\":7}", "email"), ("{\"id\":\"ben\"}", "id"),
        ]
    )
    func badChange(body: String, field: String) async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture.run { client async throws in
            let reply = try await client.send(.patch, "/v1/me", as: "ana", body)
            #expect(reply.status == 422 && reply.json["errors"]?[0]?["field"]?.string == field)
            #expect(try await client.get("/v1/me", as: "ana").json["name"]?.string == "Ana")
        }
    }

    @Test("The development mode creates its user, marks every answer, and can be reset")
    func development() async throws {
        let fixture = try await ServiceFixture()
        try await DevelopmentMode.prepare(fixture.library)
        try await DevelopmentMode.prepare(fixture.library)
        var options = WaymarkService.Options()
        options.isDevelopment = true
        let mark = try #require(HTTPField.Name("X-Dev-Mode"))
        try await fixture.run(options: options) { client async throws in
            for (path, status) in [("/healthz", 200), ("/v1/me", 401), ("/nothing", 404), ("/v1/stories?x=1", 400)] {
                let reply = try await client.get(path)
                #expect(reply.status == status && reply.headers[mark] == "1", "\(path)")
            }
            _ = try await client.create(as: "dev", title: "Mine")
        }
        try await DevelopmentMode.prepare(fixture.library)
        try await fixture.run { client async throws in
            #expect(try await client.get("/healthz").headers[mark] == nil)
        }
    }

    @Test("The development mode rejects a database with other users and creates no user there")
    func developmentElsewhere() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        await #expect(throws: DevelopmentMode.Refusal.self) { try await DevelopmentMode.prepare(fixture.library) }
        #expect(try await fixture.library.viewer(of: DevelopmentMode.user) == nil)
    }
}
