import App
import Library
import Formats
import HTTPTypes
import Stories
import Testing
import TestSupport

@Suite("Hiding stories")
struct HideTests {
    @Test("PRV-06 A hidden story disappears for its user everywhere but its own address, until unhidden")
    func hideAndUnhide() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture.run { client async throws in
            let id = try await client.create(as: "ana", title: "Wheat harvest")
            let surfaces = Surfaces(client: client, id: id, word: "harvest")
            let path = "/v1/stories/\(id)/hide"
            for _ in 0..<2 { #expect(try await client.send(.put, path, as: "cora").status == 204) }
            for user in ["ana", "ben", nil] { #expect(try await surfaces.showing(user) == Surfaces.all) }
            #expect(try await surfaces.showing("cora") == ["single", "page", "feature"])
            #expect(try await client.get("/v1/stories/\(id)", as: "cora").json["hidden"]?.bool == true)
            #expect(try await client.get("/v1/stories/\(id)", as: "ben").json["hidden"] == nil)
            let hidden = try await client.get("/v1/me/hidden", as: "cora").json
            #expect(hidden["features"]?[0]?["id"]?.string == id)
            #expect(hidden["features"]?[0]?["properties"]?["hidden"]?.bool == true)
            #expect(try await client.get("/v1/me/hidden", as: "ben").json["numberMatched"]?.integer == 0)
            for _ in 0..<2 { #expect(try await client.send(.delete, path, as: "cora").status == 204) }
            #expect(try await surfaces.showing("cora") == Surfaces.all)
            #expect(try await client.get("/v1/me/hidden", as: "cora").json["numberMatched"]?.integer == 0)
        }
    }

    @Test(
        "PRV-06 Neither invisible nor own stories can be hidden; closing one removes it from the hidden list"
    )
    func limits() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture.run { client async throws in
            let id = try await client.create(as: "ana", title: "x")
            #expect(try await client.send(.put, "/v1/stories/\(id)/hide", as: "ana").status == 409)
            #expect(try await client.send(.put, "/v1/stories/\(id)/hide", as: "cora").status == 204)
            _ = try await client.send(.put, "/v1/stories/\(id)/privacy", as: "ana", "{\"privacy\":\"private\"}")
            #expect(try await client.get("/v1/me/hidden", as: "cora").json["numberMatched"]?.integer == 0)
            let missing = "/v1/stories/00000000000000000000000000000000/hide"
            for method in [HTTPRequest.Method.put, .delete] {
                let closed = try await client.send(method, "/v1/stories/\(id)/hide", as: "cora")
                let absent = try await client.send(method, missing, as: "cora")
                #expect(closed.status == 404 && closed.bytes == absent.bytes)
            }
        }
    }

    @Test("MAP-10 The list of hidden stories is paged without gaps or repeats")
    func paging() async throws {
        try await ServiceFixture()
            .run { client async throws in
                var hidden: Set<String> = []
                for number in 0..<7 {
                    let id = try await client.create(as: "ana", title: "Story \(number)")
                    guard number != 3 else { continue }
                    _ = try await client.send(.put, "/v1/stories/\(id)/hide", as: "ben")
                    hidden.insert(id)
                }
                var found: [String] = []
                var next: String? = "/v1/me/hidden?limit=4"
                while let path = next {
                    let page = try await client.get(path, as: "ben").json
                    found += page["features"]?.array?.compactMap { $0["id"]?.string } ?? []
                    next = page["links"]?[0]?["href"]?.string
                }
                #expect(found.count == 6 && Set(found) == hidden)
                #expect(try await client.get("/v1/stories", as: "ben").json["numberMatched"]?.integer == 1)
            }
    }

    @Test("PRV-06 NTF-03 Users are not notified of hidden stories, and hiding removes them from the feed")
    func notifications() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            let first = try await client.create(as: "ana", title: "First")
            let second = try await client.create(as: "ana", title: "Second")
            let elsewhere = try await client.create(as: "ana", title: "Third", latitude: 40)
            _ = try await client.send(.put, "/v1/me/notification-settings", as: "ben", "{\"enabled\":true}")
            _ = try await client.send(.put, "/v1/stories/\(elsewhere)/hide", as: "ben")
            func visit(_ latitude: Double) async throws {
                let time = RFC3339.format(fixture.clock.now)
                let fix = "{\"t\":\"\(time)\",\"lat\":\(latitude),\"lon\":-84.3736,\"acc\":5}"
                _ = try await client.send(.post, "/v1/fixes", as: "ben", "{\"device\":\"p\",\"fixes\":[\(fix)]}")
                fixture.clock.advance(seconds: 40)
                _ = try await fixture.library.fences.fireTimers()
                fixture.clock.advance(seconds: 86_400)
            }
            func feed() async throws -> [JSONValue] {
                try await client.get("/v1/notifications", as: "ben").json["notifications"]?.array ?? []
            }
            try await visit(40)
            #expect(try await feed().isEmpty)
            try await visit(33.7554)
            #expect(try await feed().map { $0["count"]?.integer } == [2])
            _ = try await client.send(.put, "/v1/stories/\(first)/hide", as: "ben")
            #expect(try await feed().map { $0["count"]?.integer } == [1])
            _ = try await client.send(.put, "/v1/stories/\(second)/hide", as: "ben")
            #expect(try await feed().isEmpty)
            _ = try await client.send(.delete, "/v1/stories/\(first)/hide", as: "ben")
            _ = try await client.send(.delete, "/v1/stories/\(elsewhere)/hide", as: "ben")
            #expect(try await feed().map { $0["count"]?.integer } == [1])
            try await visit(40)
            #expect(try await feed().count == 2)
        }
    }

    @Test("PRV-06 NTF-09 Exported notifications match the feed: storytellers named, hidden stories left out")
    func export() async throws {
        try await FenceStreet.run { street async throws in
            let client = street.client
            _ = try await client.send(.put, FenceStreet.settings, as: "ben", #"{"enabled":true,"preview":"full"}"#)
            _ = try await client.send(.put, "/v1/me/labels/ana", as: "ben", #"{"label":"Grandpa Joe"}"#)
            let first = try await street.story("ana", at: 0, named: "First")
            let second = try await street.story("ana", at: 0, named: "Second")
            #expect(try await street.enter(try #require(try await street.fences()[0])) == 1)
            func exported() async throws -> [JSONValue] {
                let files = try ZipFiles.read(try await client.get("/v1/me/export", as: "ben").bytes)
                let file = try #require(files["notifications.json"])
                return try JSONValue(parsing: file, limits: .init(bytes: .max))["notifications"]?.array ?? []
            }
            #expect(try await exported() == street.feed())
            #expect(try await exported().map { $0["count"]?.integer } == [2])
            // Changed since, it is worded anew.
            street.fixture.clock.advance(seconds: 60)
            _ = try await client.send(.patch, "/v1/stories/\(second)", as: "ana", #"{"title":"Later"}"#)
            _ = try await client.send(.put, "/v1/stories/\(first)/hide", as: "ben")
            let shown = try await exported()
            #expect(try await shown == street.feed())
            #expect(shown.map { $0["content_ids"] } == [.array([.string(second)])])
            #expect(shown.first?["body"]?.string == "Grandpa Joe told a story here: Later")
            _ = try await client.send(.put, "/v1/stories/\(second)/hide", as: "ben")
            #expect(try await exported().isEmpty)
        }
    }
}
