import App
import Library
import Formats
import HTTPTypes
import Importing
import Storage
import Stories
import TestSupport
import Testing

@Suite("LOC-11 Extracted locations")
struct ProposalTests {
    private static let guess = #"{"lat":35.1495,"lon":-90.049,"source":"ai_extracted","name":"Beale Street"}"#
    private static let everywhere = "/v1/clusters?bbox=-180,-90,180,90&zoom=0"

    /// The header fields of an app's backend that acts for ana.
    private static func service(_ fixture: ServiceFixture) async throws -> HTTPFields {
        let request = Accounts.KeyRequest(holder: .service(Accounts.serviceScopes), name: "backend", days: nil)
        var headers: HTTPFields = [.authorization: "Bearer " + (try await fixture.accounts.makeKey(request).text)]
        headers[try #require(HTTPField.Name("Waymark-User"))] = "ana"
        return headers
    }

    private static func waiting(_ client: Client, as user: String = "ana") async throws -> [JSONValue] {
        let reply = try await client.get("/v1/me/location-proposals", as: user)
        #expect(reply.status == 200)
        return reply.json["proposals"]?.array ?? []
    }

    private static func answer(
        _ verb: String,
        _ proposal: JSONValue?,
        _ client: Client,
        as user: String = "ana"
    )
        async throws -> Client.Reply
    {
        let id = proposal?["id"]?.string ?? "none"
        return try await client.send(.post, "/v1/me/location-proposals/\(id)/\(verb)", as: user)
    }

    @Test("LOC-11 LOC-08 A removed hidden place does not return by extraction, nor more exactly by hand")
    func removedHiddenPlace() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        let service = try await ProposalTests.service(fixture)
        try await fixture.run { client async throws in
            let place = #","location":{"lat":33.75,"lon":-84.37,"precision":"hidden"}"#
            let id = try await client.create(as: "ana", title: "x", latitude: nil, extra: place)
            let path = "/v1/stories/\(id)/location"
            #expect(try await client.send(.delete, path, as: "ana").status == 204)
            let put = try await client.send(.put, path, as: nil, ProposalTests.guess, headers: service)
            #expect(put.status == 409 && put.json["type"]?.string == "/problems/location-removed")
            #expect(try await ProposalTests.waiting(client).isEmpty)
            let patch = "{\"location\":\(ProposalTests.guess)}"
            #expect(try await client.send(.patch, "/v1/stories/\(id)", as: "ana", patch).status == 409)
            for viewer in ["ana", "ben", "cora", nil] {
                #expect(try await client.get("/v1/stories/\(id)", as: viewer).json["location"]?.isNull == true)
                #expect(try await client.get(ProposalTests.everywhere, as: viewer).json["numberMatched"]?.integer == 0)
            }
            // A place given by hand is shown as the one before was.
            let byHand = try await client.send(.put, path, as: nil, #"{"lat":35.1,"lon":-90.0}"#, headers: service)
            #expect(byHand.status == 200 && byHand.json["location"]?["precision"]?.string == "hidden")
            #expect(try await client.get("/v1/stories/\(id)", as: "cora").json["location"]?.isNull == true)
        }
    }

    @Test(
        "LOC-11 A removed approximate place keeps its cell, for family too, unless the owner changes it"
    )
    func removedCell() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            let place =
                #","location":{"lat":33.75,"lon":-84.37,"precision":"approximate","cell":0.1,"family_sees_exact":true}"#
            let id = try await client.create(as: "ana", title: "x", latitude: nil, extra: place)
            #expect(
                try await client.send(.patch, "/v1/stories/\(id)", as: "ana", #"{"location":null}"#).json["location"]?
                    .isNull == true
            )
            let next = #"{"location":{"lat":33.75,"lon":-84.37,"source":"gps"}}"#
            let given = try await client.send(.patch, "/v1/stories/\(id)", as: "ana", next).json["location"]
            #expect(given?["precision"]?.string == "approximate" && given?["cell"]?.number == 0.1)
            #expect(given?["family_sees_exact"]?.bool == true)
            _ = try await client.send(.delete, "/v1/stories/\(id)/location", as: "ana")
            let exact = #"{"lat":33.75,"lon":-84.37,"precision":"exact"}"#
            let opened = try await client.send(.put, "/v1/stories/\(id)/location", as: "ana", exact)
            #expect(opened.json["location"]?["precision"]?.string == "exact")
        }
    }

    @Test("LOC-11 An extraction waits for its owner, whatever its source, and no one else gets a byte of it")
    func unpublished() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        let service = try await ProposalTests.service(fixture)
        try await fixture.run { client async throws in
            let ids = [
                try await client.create(as: "ana", title: "put", latitude: nil),
                try await client.create(as: "ana", title: "patch", latitude: nil),
            ]
            let surfaces = [
                "/v1/stories/\(ids[0])", "/v1/stories/\(ids[1])", "/v1/stories", "/v1/stories?q=beale",
                ProposalTests.everywhere, "/v1/bounds", "/v1/nearby?lat=35.1495&lon=-90.049",
                "/v1/stories?bbox=-91,35,-90,36", "/v1/tiles/0/0/0.mvt", "/v1/changes",
                "/v1/offline-package?bbox=-91,35,-90,36&zoom=9",
            ]
            let others: [String?] = ["ben", "cora", nil]
            func transcript() async throws -> [[UInt8]] {
                var transcript: [[UInt8]] = []
                for viewer in others {
                    for path in surfaces where viewer != nil || !path.hasPrefix("/v1/changes") {
                        let reply = try await client.get(path, as: viewer)
                        // An empty tile is none.
                        #expect([200, 204].contains(reply.status), "\(path)")
                        transcript.append(Array("\(path) \(reply.headers[.eTag] ?? "")".utf8) + reply.bytes)
                    }
                }
                return transcript
            }
            let before = try await transcript()
            let own = try await client.get("/v1/stories/\(ids[0])", as: "ana").bytes
            for _ in 0..<2 {
                let path = "/v1/stories/\(ids[0])/location"
                let put = try await client.send(.put, path, as: nil, ProposalTests.guess, headers: service)
                #expect(put.status == 202 && put.json["location"]?.isNull == true)
                let patch = "{\"location\":\(ProposalTests.guess)}"
                let changed = try await client.send(.patch, "/v1/stories/\(ids[1])", as: "ana", patch)
                #expect(changed.status == 200 && changed.json["location"]?.isNull == true)
            }
            #expect(try await transcript() == before)
            #expect(try await client.get("/v1/stories/\(ids[0])", as: "ana").bytes == own)
            let waiting = try await ProposalTests.waiting(client)
            #expect(Set(waiting.compactMap { $0["story"]?.string }) == Set(ids) && waiting.count == 2)
            #expect(waiting.allSatisfy { $0["location"]?["name"]?.string == "Beale Street" })
            for other in ["ben", "cora"] {
                #expect(try await ProposalTests.waiting(client, as: other).isEmpty)
                for verb in ["confirm", "reject"] {
                    #expect(try await ProposalTests.answer(verb, waiting.first, client, as: other).status == 404)
                }
            }
        }
    }

    @Test(
        "LOC-11 A new story's extracted location is not stored with it, in batches too; repeats are harmless"
    )
    func atCreation() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            let story = "{\"kind\":\"photo\",\"title\":\"x\",\"location\":\(ProposalTests.guess),\"client_id\":\"a\"}"
            let made = try await client.send(.post, "/v1/stories", as: "ana", story)
            #expect(made.status == 201 && made.json["location"]?.isNull == true)
            #expect(try await client.send(.post, "/v1/stories", as: "ana", story).status == 200)
            let item = #"{"op":"create","client_id":"b","story":\#(story.replacing(",\"client_id\":\"a\"", with: ""))}"#
            let update = #"{"op":"update","client_id":"b","story":{"location":\#(ProposalTests.guess)}}"#
            let words = ["created,unchanged", "unchanged,unchanged"]
            for expected in words {
                let body = "{\"items\":[\(item),\(update)]}"
                let reply = try await client.send(.post, "/v1/stories/batch", as: "ana", body)
                let outcomes = reply.json["items"]?.array?.compactMap { $0["outcome"]?.string } ?? []
                #expect(outcomes.joined(separator: ",") == expected)
            }
            #expect(try await ProposalTests.waiting(client).count == 2)
            #expect(try await client.get(ProposalTests.everywhere, as: "ana").json["numberMatched"]?.integer == 0)
        }
    }

    @Test("LOC-11 LOC-01 A confirmed extraction is shown like the story's last place or as its owner chooses")
    func confirmed() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            let first = try await client.create(
                as: "ana",
                title: "hidden",
                latitude: nil,
                extra: #","location":{"lat":1,"lon":2,"source":"ai_extracted","precision":"hidden"}"#
            )
            // A later one that wants to be exact is shown no more exactly than the first wanted.
            let later = #"{"lat":1.5,"lon":2,"source":"ai_extracted","precision":"exact"}"#
            #expect(try await client.send(.put, "/v1/stories/\(first)/location", as: "ana", later).status == 202)
            let waiting = try await ProposalTests.waiting(client)
            #expect(waiting.count == 2)
            let exact = waiting.first { $0["location"]?["lat"]?.number == 1.5 }
            let published = try await ProposalTests.answer("confirm", exact, client)
            #expect(published.status == 200 && published.json["location"]?["lat"]?.number == 1.5)
            #expect(published.json["location"]?["source"]?.string == "ai_extracted")
            #expect(published.json["location"]?["precision"]?.string == "hidden")
            #expect(
                published.headers[.eTag] == (try await client.get("/v1/stories/\(first)", as: "ana")).headers[.eTag]
            )
            #expect(try await client.get("/v1/stories/\(first)").json["location"]?.isNull == true)
            #expect(try await ProposalTests.waiting(client).isEmpty)
            #expect(try await ProposalTests.answer("confirm", exact, client).status == 404)
            // What is confirmed can be described otherwise without a question; another point is one.
            let renamed = #"{"location":{"name":"Home"}}"#
            let named = try await client.send(.patch, "/v1/stories/\(first)", as: "ana", renamed)
            #expect(named.json["location"]?["name"]?.string == "Home")
            #expect(try await client.send(.put, "/v1/stories/\(first)/location", as: "ana", later).status == 200)
            #expect(try await ProposalTests.waiting(client).isEmpty)

            let second = try await client.create(as: "ana", title: "y", latitude: nil)
            _ = try await client.send(.put, "/v1/stories/\(second)/location", as: "ana", ProposalTests.guess)
            let id = try #require(try await ProposalTests.waiting(client).first?["id"]?.string)
            let path = "/v1/me/location-proposals/\(id)/confirm"
            #expect(try await client.send(.post, path + "?precision=approximate&cell=0.3", as: "ana").status == 400)
            let shown = try await client.send(.post, path + "?precision=approximate&cell=0.1", as: "ana")
            #expect(shown.json["location"]?["cell"]?.number == 0.1)
            #expect(try await client.get("/v1/stories/\(second)").json["location"]?["lat"]?.number == 35.15)
        }
    }

    @Test("LOC-11 A rejected extraction does not return, nor one next to it; another place may be proposed")
    func rejected() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            let id = try await client.create(as: "ana", title: "x", latitude: nil)
            let path = "/v1/stories/\(id)/location"
            #expect(try await client.send(.put, path, as: "ana", ProposalTests.guess).status == 202)
            let waiting = try await ProposalTests.waiting(client)
            #expect(try await ProposalTests.answer("reject", waiting.first, client).status == 204)
            #expect(try await ProposalTests.answer("reject", waiting.first, client).status == 404)
            for point in [#""lat":35.1495,"lon":-90.049"#, #""lat":35.15001,"lon":-90.04899"#] {
                let again = "{\(point),\"source\":\"ai_extracted\"}"
                let reply = try await client.send(.put, path, as: "ana", again)
                #expect(reply.status == 409 && reply.json["type"]?.string == "/problems/location-rejected")
            }
            #expect(try await ProposalTests.waiting(client).isEmpty)
            // Deleted and brought back, the story knows it still.
            _ = try await client.send(.delete, "/v1/stories/\(id)", as: "ana")
            #expect(try await fixture.library.rights.retention.restore(try #require(StoryID(id))))
            #expect(try await client.send(.put, path, as: "ana", ProposalTests.guess).status == 409)
            let other = #"{"lat":36.2,"lon":-90.049,"source":"ai_extracted"}"#
            #expect(try await client.send(.put, path, as: "ana", other).status == 202)
            // A place by hand answers what was asked.
            #expect(try await client.send(.put, path, as: "ana", #"{"lat":3,"lon":4}"#).status == 200)
            #expect(try await ProposalTests.waiting(client).isEmpty)
        }
    }

    @Test("LOC-11 The list of proposals is paged, follows its story's removal, and is in its owner's export")
    func pages() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            var ids: [String] = []
            for number in 0..<5 {
                fixture.clock.advance(seconds: 60)
                let place = #","location":{"lat":\#(number),"lon":2,"source":"ai_extracted"}"#
                ids.append(try await client.create(as: "ana", title: "S\(number)", latitude: nil, extra: place))
            }
            var seen: [String] = []
            var next: String? = "/v1/me/location-proposals?limit=2"
            while let path = next {
                let page = try await client.get(path, as: "ana")
                seen += page.json["proposals"]?.array?.compactMap { $0["story"]?.string } ?? []
                next = page.json["links"]?["next"]?.string
            }
            #expect(seen == ids.reversed())
            _ = try await client.send(.delete, "/v1/stories/\(ids[0])", as: "ana")
            #expect(try await ProposalTests.waiting(client).count == 4)
            let user = try #require(UserID("ana"))
            let counts = try await fixture.library.store.read { try $0.personalCounts(of: user) }
            #expect(counts.first { $0.name == "location_proposals" }?.count == 4)
        }
    }

    @Test(
        "LOC-11 An extraction in a file also waits, unless the file marks it as confirmed, as exports do"
    )
    func imported() async throws {
        let fixture = try await ServiceFixture()
        let owner = try #require(UserID("ana"))
        @Sendable func load(_ rows: String) async throws {
            let text = "id,title,lat,lon,precision,location_source,location_confirmed\n" + rows
            let result = StoryImporter(options: .init(owner: owner)).read(Array(text.utf8), fileName: "a.csv")
            #expect(result.problems.isEmpty, "\(result.problems)")
            _ = try await fixture.library.imports.add(result.stories)
        }
        try await fixture.run { client async throws in
            _ = try await client.create(as: "ana", title: "other", latitude: nil)
            try await load(
                "1,One,1,2,hidden,ai_extracted,\n2,Two,3,4,exact,ai_extracted,true\n3,Three,0,0,exact,gps,\n"
            )
            #expect(try await client.get(ProposalTests.everywhere, as: "ana").json["numberMatched"]?.integer == 2)
            let waiting = try await ProposalTests.waiting(client)
            #expect(waiting.compactMap { $0["title"]?.string } == ["One"])
            #expect(waiting.first?["location"]?["precision"]?.string == "hidden")
            #expect(try await ProposalTests.answer("reject", waiting.first, client).status == 204)
            try await load("1,One again,1,2,hidden,ai_extracted,\n")
            #expect(try await ProposalTests.waiting(client).isEmpty)
        }
    }
}
