import App
import Library
import Formats
import HTTPTypes
import Stories
import TestSupport
import Testing

@Suite("Collections and favourites")
struct CollectionTests {
    private static func make(
        _ client: Client,
        as user: String,
        _ title: String,
        _ more: String = ""
    ) async throws -> String {
        let reply = try await client.send(.post, "/v1/collections", as: user, "{\"title\":\"\(title)\"\(more)}")
        #expect(reply.status == 201, "\(String(decoding: reply.bytes, as: UTF8.self))")
        let id = try #require(reply.json["id"]?.string)
        #expect(reply.headers[.location] == "/v1/collections/\(id)")
        return id
    }

    private static func titles(_ client: Client, as user: String?) async throws -> [String] {
        let page = try await client.get("/v1/collections", as: user).json
        return (page["collections"]?.array ?? []).compactMap { $0["title"]?.string }
    }

    @Test("MAP-09 A trip is created, listed with each viewer's stories, used as a filter, and deleted without them")
    func trip() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture.run { client async throws in
            let id = try await CollectionTests.make(
                client,
                as: "ana",
                "Delta",
                ",\"privacy\":\"public\",\"text\":\"By car\""
            )
            let inside = ",\"collection\":\"Delta\""
            let open = try await client.create(as: "ana", title: "For all", extra: inside)
            for level in ["family_only", "private"] {
                _ = try await client.create(as: "ana", title: level, extra: inside + ",\"privacy\":\"\(level)\"")
            }
            _ = try await client.create(as: "cora", title: "Another Delta", extra: inside)
            _ = try await client.create(as: "ana", title: "No trip")
            for (user, count) in [("ana", 3), ("ben", 2), ("cora", 1), (nil, 1)] as [(String?, Int)] {
                let found = try await client.get("/v1/collections/\(id)", as: user).json
                #expect(found["story_count"]?.integer == count, "\(user ?? "nobody")")
                #expect(found["title"]?.string == "Delta" && found["owner_name"]?.string == "Ana")
                let byID = try await client.get("/v1/stories?collection=\(id)", as: user).json
                #expect(byID["numberMatched"]?.integer == count)
                let map = try await client.get("/v1/clusters?bbox=-180,-85,180,85&zoom=3&collection=\(id)", as: user)
                #expect(map.json["numberMatched"]?.integer == count)
                // By name it is everybody's, as ever; together nobody is counted twice.
                for filter in ["Delta", "Delta,\(id)"] {
                    let byName = try await client.get("/v1/stories?collection=\(filter)", as: user).json
                    #expect(byName["numberMatched"]?.integer == count + 1)
                }
            }
            #expect(try await client.send(.put, "/v1/stories/\(open)/hide", as: "cora").status == 204)
            #expect(try await client.get("/v1/collections/\(id)", as: "cora").json["story_count"]?.integer == 0)
            #expect(try await client.send(.delete, "/v1/collections/\(id)", as: "cora").status == 403)
            #expect(try await client.send(.delete, "/v1/collections/\(id)", as: "ana").status == 204)
            #expect(try await client.send(.delete, "/v1/collections/\(id)", as: "ana").status == 404)
            #expect(try await CollectionTests.titles(client, as: "ana") == [])
            let story = try await client.get("/v1/stories/\(open)").json
            #expect(story["collection"]?.string == "Delta")
            let byName = try await client.get("/v1/stories?collection=Delta", as: "ana").json
            #expect(byName["numberMatched"]?.integer == 4)
        }
    }

    @Test("PRV-02 An invisible collection is not revealed by its address, a filter or the list")
    func closed() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture.run { client async throws in
            let family = ",\"privacy\":\"family_only\""
            let ids = [
                try await CollectionTests.make(client, as: "ana", "Mine"),
                try await CollectionTests.make(client, as: "ana", "Kin", family),
                try await CollectionTests.make(client, as: "ana", "Named", family + ",\"family\":\"whitfield\""),
            ]
            _ = try await client.create(as: "ana", title: "Open", extra: ",\"collection\":\"Mine\"")
            #expect(Set(try await CollectionTests.titles(client, as: "ana")) == ["Mine", "Kin", "Named"])
            #expect(Set(try await CollectionTests.titles(client, as: "ben")) == ["Kin", "Named"])
            for user in ["cora", nil] {
                #expect(try await CollectionTests.titles(client, as: user) == [])
                let never = try await client.get("/v1/collections/0123456789abcdef0123456789abcdef", as: user)
                for id in ids {
                    let closed = try await client.get("/v1/collections/\(id)", as: user)
                    #expect(closed.status == 404 && closed.bytes == never.bytes)
                    let filtered = try await client.get("/v1/stories?collection=\(id)", as: user).json
                    #expect(filtered["numberMatched"]?.integer == 0)
                }
            }
            for id in ids { #expect(try await client.send(.delete, "/v1/collections/\(id)", as: "cora").status == 404) }
            #expect(try await client.send(.delete, "/v1/collections/\(ids[0])", as: "ben").status == 404)
            #expect(try await client.send(.delete, "/v1/collections/\(ids[1])", as: "ben").status == 403)
        }
    }

    @Test("A family's trip gathers its members' stories, and only its owner keeps it when leaving the family")
    func familyTrip() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture.run { client async throws in
            let lake = try await client.makeFamily(of: "cora", "Lake")
            try await client.join(lake, as: "ana", invitedBy: "cora")
            try await client.join(lake, as: "ben", invitedBy: "cora")
            let shared = ",\"privacy\":\"family_only\",\"family\":\"\(lake)\""
            let id = try await CollectionTests.make(client, as: "ana", "Lake 1962", shared)
            for user in ["ana", "ben", "cora"] {
                _ = try await client.create(as: user, title: "A photo", extra: ",\"collection\":\"Lake 1962\"" + shared)
            }
            _ = try await client.create(as: "dora", title: "Not ours", extra: ",\"collection\":\"Lake 1962\"")
            for user in ["ana", "ben", "cora"] {
                #expect(try await client.get("/v1/collections/\(id)", as: user).json["story_count"]?.integer == 3)
                let found = try await client.get("/v1/stories?collection=\(id)", as: user).json
                #expect(found["numberMatched"]?.integer == 3)
            }
            #expect(try await client.get("/v1/collections/\(id)", as: "dora").status == 404)
            #expect(try await client.send(.delete, "/v1/families/\(lake)/members/ana", as: "ana").status == 204)
            let left = try await client.get("/v1/collections/\(id)", as: "ana").json
            #expect(left["privacy"]?.string == "private" && left["family"]?.isNull == true)
            #expect(left["story_count"]?.integer == 1)
            #expect(try await client.get("/v1/collections/\(id)", as: "ben").status == 404)
            #expect(try await CollectionTests.titles(client, as: "cora") == [])
        }
    }

    @Test(
        "An invalid collection is rejected with the invalid field",
        arguments: [
            ("{}", 422), (#"{"title":""}"#, 422), (#"{"title":"  "}"#, 422), (#"{"title":"a\nb"}"#, 422),
            (#"{"title":"a","privacy":"secret"}"#, 422), (#"{"title":"a","colour":"red"}"#, 422),
            (#"{"title":"0123456789abcdef0123456789abcdef"}"#, 422), (#"{"title":"a","family":"whitfield"}"#, 422),
            (#"{"title":"a","privacy":"family_only","family":"delacroix"}"#, 422),
            (#"{"title":"a","privacy":"family_only","family":"never-was"}"#, 422),
            (#"{"title":"a","privacy":"family_only","family":"no id"}"#, 422), (#"{"title":"Taken"}"#, 409),
            (#"{"title":"Hers"}"#, 201), (#"{"title":"a","privacy":"family_only","family":"whitfield"}"#, 201),
        ]
    )
    func refusals(body: String, status: Int) async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture.run { client async throws in
            _ = try await CollectionTests.make(client, as: "ana", "Taken")
            // What others call theirs is no business of one's own.
            _ = try await CollectionTests.make(client, as: "cora", "Hers", ",\"privacy\":\"public\"")
            let reply = try await client.send(.post, "/v1/collections", as: "ana", body)
            #expect(reply.status == status, "\(String(decoding: reply.bytes, as: UTF8.self))")
            if status == 422 { #expect(reply.json["errors"]?.array?.isEmpty == false) }
        }
    }

    @Test("The list of collections is paged newest first, without gaps or repeats")
    func pages() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            for number in 0..<9 {
                _ = try await CollectionTests.make(client, as: "ana", "Trip \(number)", ",\"privacy\":\"public\"")
                _ = try await CollectionTests.make(client, as: "ana", "Closed \(number)")
                // Several in one instant, and several instants.
                if number.isMultiple(of: 3) { fixture.clock.advance(seconds: 60) }
            }
            var next: String? = "/v1/collections?limit=2"
            var items: [(time: String, id: String, title: String)] = []
            while let address = next {
                let page = try await client.get(address).json
                for item in page["collections"]?.array ?? [] {
                    let (time, id) = (item["created_at"]?.string ?? "", item["id"]?.string ?? "")
                    items.append((time, id, item["title"]?.string ?? ""))
                }
                next = page["links"]?["next"]?.string
                #expect(items.count <= 9)
            }
            #expect(Set(items.map(\.title)) == Set((0..<9).map { "Trip \($0)" }) && items.count == 9)
            for (item, later) in zip(items, items.dropFirst()) {
                #expect(item.time > later.time || item.time == later.time && item.id < later.id)
            }
        }
    }

    @Test("MAP-09 Favourites are visible only to their user, in every list and map, and end with visibility")
    func favourites() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture.run { client async throws in
            let id = try await client.create(as: "ana", title: "Wheat harvest")
            _ = try await client.create(as: "ana", title: "Another", latitude: 10)
            let path = "/v1/stories/\(id)/favourite"
            for _ in 0..<2 { #expect(try await client.send(.put, path, as: "cora").status == 204) }
            #expect(try await client.send(.put, path).status == 401)
            func count(_ path: String, as user: String?) async throws -> Int? {
                try await client.get(path, as: user).json["numberMatched"]?.integer
            }
            for list in [
                "/v1/stories?", "/v1/clusters?bbox=-180,-85,180,85&zoom=2&", "/v1/histogram?from=1900&to=2000&",
            ] {
                let isTime = list.hasPrefix("/v1/histogram")
                #expect(try await count(list + "favourites=true", as: "cora") == (isTime ? 0 : 1))
                for user in ["ana", "ben", nil] { #expect(try await count(list + "favourites=true", as: user) == 0) }
                #expect(try await count(list + "favourites=false", as: "cora") == (isTime ? 0 : 2))
            }
            let both = try await client.get("/v1/stories?favourites=true&q=another", as: "cora").json
            #expect(both["numberMatched"]?.integer == 0)
            #expect(try await client.get("/v1/bounds?favourites=true", as: "cora").json["bbox"]?[1]?.number == 33.7554)
            #expect(try await client.get("/v1/stories/\(id)", as: "cora").json["favourite"]?.bool == true)
            #expect(try await client.get("/v1/stories/\(id)", as: "ana").json["favourite"] == nil)
            let level = "/v1/stories/\(id)/privacy"
            _ = try await client.send(.put, level, as: "ana", "{\"privacy\":\"private\"}")
            #expect(try await count("/v1/stories?favourites=true", as: "cora") == 0)
            #expect(try await client.send(.delete, path, as: "cora").status == 404)
            _ = try await client.send(.put, level, as: "ana", "{\"privacy\":\"public\"}")
            #expect(try await count("/v1/stories?favourites=true", as: "cora") == 1)
            for _ in 0..<2 { #expect(try await client.send(.delete, path, as: "cora").status == 204) }
            #expect(try await count("/v1/stories?favourites=true", as: "cora") == 0)
        }
    }
}
