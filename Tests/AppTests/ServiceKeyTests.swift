import App
import Library
import Formats
import HTTPTypes
import Importing
import Storage
import Stories
import Testing
import TestSupport

@Suite("Rights of a service")
struct ServiceKeyTests {
    /// The header fields of a new service key, acting for a user or for nobody in particular.
    private func headers(
        _ fixture: ServiceFixture,
        as user: String? = nil,
        operator isOperator: Bool = false
    )
        async throws -> HTTPFields
    {
        let scopes = isOperator ? Accounts.serviceScopes.union([.adminOps]) : Accounts.serviceScopes
        let request = Accounts.KeyRequest(holder: .service(scopes), name: "backend", days: nil)
        var headers: HTTPFields = [.authorization: "Bearer " + (try await fixture.accounts.makeKey(request).text)]
        if let user, let name = HTTPField.Name("Waymark-User") { headers[name] = user }
        return headers
    }

    @Test("PRV-08 A service changes and deletes anyone's story, seen or not, within its owner's families")
    func othersContent() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        for user in ["cora", "ben", "ana"] {
            let service = try await headers(fixture, as: user)
            try await fixture.run { client async throws in
                let id = try await client.create(as: "ana", title: "x", extra: ",\"privacy\":\"private\"")
                let path = "/v1/stories/\(id)"
                let changed = try await client.send(.patch, path, as: nil, "{\"title\":\"y\"}", headers: service)
                #expect(changed.status == 200 && changed.json["title"]?.string == "y")
                var matching = service
                matching[.ifMatch] = changed.headers[.eTag]
                for (family, status) in [("delacroix", 422), ("whitfield", 200), ("whitfield", 412)] {
                    let body = "{\"privacy\":\"family_only\",\"family\":\"\(family)\"}"
                    let reply = try await client.send(.put, path + "/privacy", as: nil, body, headers: matching)
                    #expect(reply.status == status, "\(user) \(family)")
                }
                #expect(try await client.get(path, as: "ben").json["family"]?.string == "whitfield")
                #expect(try await client.send(.delete, path, headers: service).status == 204)
                #expect(try await client.get(path, as: "ana").status == 404)
                #expect(try await client.send(.delete, path, headers: service).status == 404)
            }
        }
    }

    @Test(
        "PRV-05 A flagged account's new stories are private too, keeping their levels until it is cleared"
    )
    func flaggedAccount() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        let service = try await headers(fixture)
        let owner = try #require(UserID("ana"))
        try await fixture.run { client async throws in
            func flag(_ flag: Bool) async throws {
                let body = "{\"user\":\"ana\",\"auto_private\":\(flag)}"
                let reply = try await client.send(.put, "/v1/service/auto-private", as: nil, body, headers: service)
                #expect(reply.status == 200)
            }
            try await flag(true)
            var ids = [try await client.create(as: "ana", title: "alone")]
            let item =
                #"{"op":"create","client_id":"b","story":{"kind":"photo","title":"b","privacy":"family_only"}}"#
            let batch = try await client.send(.post, "/v1/stories/batch", as: "ana", "{\"items\":[\(item)]}")
            ids.append(try #require(batch.json["items"]?[0]?["id"]?.string))
            let file = Array("id,title,lat,lon\n1,imported,33.7,-84.3\n".utf8)
            let read = StoryImporter(options: .init(owner: owner)).read(file, fileName: "a.csv")
            _ = try await fixture.library.imports.add(read.stories)
            let list = try await client.get("/v1/stories", as: "ana").json
            #expect(list["numberMatched"]?.integer == 3)
            let own = list["features"]?.array?.map { $0["properties"] } ?? []
            #expect(own.allSatisfy { $0?["auto_private"]?.bool == true })
            #expect(Set(own.compactMap { $0?["privacy"]?.string }) == ["public", "family_only"])
            for viewer in ["ben", "cora", nil] {
                #expect(try await client.get("/v1/stories", as: viewer).json["numberMatched"]?.integer == 0)
                let map = "/v1/clusters?bbox=-180,-90,180,90&zoom=0"
                #expect(try await client.get(map, as: viewer).json["numberMatched"]?.integer == 0)
                for id in ids { #expect(try await client.get("/v1/stories/\(id)", as: viewer).status == 404) }
            }
            #expect(try await client.get("/v1/notifications", as: "ben").json["notifications"]?.array == [])
            // Another's account is another's.
            let other = try await client.create(as: "cora", title: "open")
            #expect(try await client.get("/v1/stories/\(other)").status == 200)
            try await flag(false)
            #expect(try await client.get("/v1/stories", as: "ben").json["numberMatched"]?.integer == 4)
            #expect(try await client.get("/v1/stories").json["numberMatched"]?.integer == 3)
            let later = try await client.create(as: "ana", title: "later")
            #expect(try await client.get("/v1/stories/\(later)").status == 200)
        }
    }

    @Test("PRV-08 Only a change creates an unknown user, never a read, and a service can prevent it")
    func unknownUsers() async throws {
        let fixture = try await ServiceFixture()
        let service = try await headers(fixture, as: "anna")
        var refusing = service
        refusing[try #require(HTTPField.Name("Waymark-User-Create"))] = "false"
        var unclear = service
        unclear[try #require(HTTPField.Name("Waymark-User-Create"))] = "perhaps"
        try await fixture.run { [refusing, unclear] client async throws in
            func users() async throws -> Set<String> {
                Set(try await fixture.library.store.read { try $0.users() }.map(\.id.rawValue))
            }
            let known = try await users()
            for path in [
                "/v1/stories", "/v1/me", "/v1/me/export", "/v1/me/location-data", "/v1/me/notification-settings",
                "/v1/notifications", "/v1/notifications/badge", "/v1/changes", "/v1/families", "/v1/me/invitations",
                "/v1/me/location-proposals", "/v1/me/consents", "/v1/me/access-log", "/v1/me/keys", "/v1/me/channels",
                "/v1/clusters?bbox=-180,-90,180,90&zoom=0", "/v1/fences?lat=1&lon=2", "/v1/fixes", "/v1/me/hidden",
            ] {
                #expect(try await client.get(path, headers: service).status == 200, "\(path)")
                #expect(try await client.get(path, as: "bea").status == 200, "\(path)")
                let refused = try await client.get(path, headers: refusing)
                #expect(refused.status == 400 && refused.json["type"]?.string == "/problems/unknown-user")
            }
            #expect(try await users() == known)
            let story = "{\"kind\":\"photo\",\"title\":\"x\"}"
            #expect(try await client.send(.post, "/v1/stories", as: nil, story, headers: refusing).status == 400)
            #expect(try await client.send(.post, "/v1/stories", as: nil, story, headers: unclear).status == 400)
            #expect(try await users() == known)
            #expect(try await client.send(.post, "/v1/stories", as: nil, story, headers: service).status == 201)
            #expect(try await client.send(.post, "/v1/stories", as: "bea", story).status == 201)
            #expect(try await users() == known.union(["anna", "bea"]))
            #expect(try await client.send(.post, "/v1/stories", as: nil, story, headers: refusing).status == 201)
        }
    }

    @Test("PRV-05 The backend sets auto_private for one account or a list, and gets the result")
    func autoPrivate() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        let service = try await headers(fixture)
        try await fixture.run { client async throws in
            var ids: [String] = []
            for title in ["a", "b"] { ids.append(try await client.create(as: "ana", title: title)) }
            func put(_ body: String) async throws -> Client.Reply {
                try await client.send(.put, "/v1/service/auto-private", as: nil, body, headers: service)
            }
            func counts(_ body: String) async throws -> [Int?] {
                let json = try await put(body).json
                return ["changed", "unchanged", "unknown"].map { json[$0]?.integer }
            }
            let list = "[\"\(ids[0])\",\"\(ids[0])\",\"00000000000000000000000000000000\",\"junk\"]"
            #expect(try await counts("{\"auto_private\":true,\"stories\":\(list)}") == [1, 0, 2])
            #expect(try await counts("{\"auto_private\":true,\"user\":\"ana\"}") == [1, 1, 0])
            #expect(try await client.get("/v1/stories").json["numberMatched"]?.integer == 0)
            #expect(try await counts("{\"auto_private\":false,\"user\":\"ana\"}") == [2, 0, 0])
            #expect(try await client.get("/v1/stories").json["numberMatched"]?.integer == 2)
            for body in [
                "{\"auto_private\":true}", "{\"auto_private\":true,\"user\":\"ana\",\"stories\":[]}",
                "{\"auto_private\":true,\"user\":\"nobody\"}", "{\"user\":\"ana\"}",
            ] {
                #expect(try await put(body).status == 422, "\(body)")
            }
        }
    }

    @Test("PRV-06 Operators page through reports and decide, without seeing anything of the stories")
    func operators() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        let (service, operators) = (
            try await headers(fixture, as: "ops"), try await headers(fixture, as: "ops", operator: true)
        )
        try await fixture.run { client async throws in
            for number in 0..<3 {
                let id = try await client.create(as: "ana", title: "Secretword \(number)")
                let body = "{\"reason\":\"other\",\"text\":\"See \(number)\"}"
                _ = try await client.send(.post, "/v1/stories/\(id)/report", as: "cora", body)
                fixture.clock.advance(seconds: 1)
            }
            let path = "/v1/service/reports"
            #expect(try await client.get(path, headers: service).status == 403)
            var found: [JSONValue] = []
            var next: String? = path + "?limit=2&status=pending"
            while let address = next {
                let page = try await client.get(address, headers: operators)
                #expect(page.status == 200 && !String(decoding: page.bytes, as: UTF8.self).contains("Secretword"))
                found += page.json["reports"]?.array ?? []
                next = page.json["links"]?[0]?["href"]?.string
            }
            #expect(found.map { $0["text"]?.string } == ["See 0", "See 1", "See 2"])
            #expect(found.allSatisfy { $0["owner"]?.string == "ana" && $0["count"]?.integer == 1 })
            let tracking = try #require(found.first?["tracking_id"]?.string)
            let decision = "{\"status\":\"actioned\",\"note\":\"removed\"}"
            let reply = try await client.send(.patch, "\(path)/\(tracking)", as: nil, decision, headers: operators)
            #expect(reply.json["status"]?.string == "actioned" && reply.json["note"]?.string == "removed")
            #expect(try await client.get("/v1/stories").json["numberMatched"]?.integer == 2)
            let told = try await client.get("/v1/reports/\(tracking)", as: "cora").json
            #expect(told["status"]?.string == "actioned" && told["note"] == nil)
            let missing = path + "/00000000000000000000000000000000"
            #expect(try await client.send(.patch, missing, as: nil, decision, headers: operators).status == 404)
        }
    }
}
