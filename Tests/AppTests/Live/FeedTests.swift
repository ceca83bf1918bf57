import App
import Library
import Formats
import HTTPTypes
import Stories
import TestSupport
import Testing

@Suite("The feed")
struct FeedTests {
    /// A service in which ana was told `count` things, a second apart, and ben one.
    private static func run(
        _ count: Int,
        _ body: @escaping @Sendable (ServiceFixture, Client, [String]) async throws -> Void
    ) async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        let (ana, ben) = (try #require(UserID("ana")), try #require(UserID("ben")))
        try await fixture.run { client async throws in
            var ids: [String] = []
            for _ in 0..<count {
                fixture.clock.advance(seconds: 1)
                ids.append(try await FeedWorld.tell(ana, in: fixture.library))
            }
            _ = try await FeedWorld.tell(ben, in: fixture.library)
            try await body(fixture, client, ids)
        }
    }

    private static func ids(_ client: Client, _ path: String) async throws -> [String] {
        let json = try await client.get(path, as: "ana").json
        return (json["notifications"]?.array ?? []).compactMap { $0["id"]?.string }
    }

    @Test("DLV-01 Pages of thirty, newest first, each item once, with filters for unread and type")
    func pages() async throws {
        try await FeedTests.run(70) { _, client, ids async throws in
            var found: [String] = []
            var path: String? = "/v1/notifications"
            var sizes: [Int] = []
            while let next = path {
                let page = try await client.get(next, as: "ana").json
                let items = (page["notifications"]?.array ?? []).compactMap { $0["id"]?.string }
                sizes.append(items.count)
                found += items
                path = page["links"]?["next"]?.string
            }
            #expect(sizes == [30, 30, 10] && found == ids.reversed())
            let first = try #require(ids.last)
            _ = try await client.send(.patch, "/v1/notifications/\(first)", as: "ana", #"{"read":true}"#)
            #expect(
                try await FeedTests.ids(client, "/v1/notifications?unread=true&limit=100") == Array(found.dropFirst())
            )
            #expect(try await FeedTests.ids(client, "/v1/notifications?type=family.deleted&limit=100") == found)
            #expect(try await FeedTests.ids(client, "/v1/notifications?type=story.nearby,other&limit=100") == [])
        }
    }

    @Test("DLV-01 Items are marked read, archived and opened; the badge counts unread, unarchived ones")
    func marks() async throws {
        try await FeedTests.run(3) { _, client, ids async throws in
            func badge() async throws -> [Int?] {
                let json = try await client.get("/v1/notifications/badge", as: "ana").json
                return [json["unread"]?.integer, json["unseen"]?.integer]
            }
            func mark(_ id: String, _ body: String) async throws -> JSONValue {
                let reply = try await client.send(.patch, "/v1/notifications/\(id)", as: "ana", body)
                #expect(reply.status == 200)
                return reply.json
            }
            #expect(try await badge() == [3, 3])
            #expect(try await mark(ids[0], #"{"read":true}"#)["read"]?.bool == true)
            #expect(try await badge() == [2, 2])
            #expect(try await mark(ids[0], #"{"read":false}"#)["read"]?.bool == false)
            #expect(try await mark(ids[1], #"{"archived":true}"#)["archived"]?.bool == true)
            #expect(try await badge() == [2, 2])
            #expect(try await FeedTests.ids(client, "/v1/notifications") == [ids[2], ids[0]])
            #expect(try await FeedTests.ids(client, "/v1/notifications?archived=true") == ids.reversed())
            let opened = try await client.send(.post, "/v1/notifications/\(ids[2])/opened", as: "ana")
            #expect(opened.json["opened"]?.bool == true && opened.json["read"]?.bool == true)
            #expect(opened.json["url"]?.string == "/#notice=\(ids[2])")
            #expect(try await badge() == [1, 1])
            let seen = try await client.send(.post, "/v1/notifications/seen", as: "ana", "{\"before\":\"\(ids[2])\"}")
            #expect(seen.status == 204)
            #expect(try await badge() == [1, 0])
            let reply = try await client.get("/v1/notifications/badge", as: "ana")
            let tag = try #require(reply.headers[.eTag])
            let again = try await client.get("/v1/notifications/badge", as: "ana", headers: [.ifNoneMatch: tag])
            #expect(again.status == 304)
        }
    }

    @Test("Marking all as read includes items up to the named one and leaves later ones")
    func readAll() async throws {
        try await FeedTests.run(4) { fixture, client, ids async throws in
            // The clock stands still: the newcomer has the same time as the one that is named.
            let late = try await FeedWorld.tell(try #require(UserID("ana")), in: fixture.library)
            let body = "{\"before\":\"\(ids[3])\"}"
            let reply = try await client.send(.post, "/v1/notifications/read-all", as: "ana", body)
            #expect(reply.json["marked"]?.integer == 4)
            #expect(try await FeedTests.ids(client, "/v1/notifications?unread=true") == [late])
            let again = try await client.send(.post, "/v1/notifications/read-all", as: "ana", body)
            #expect(again.json["marked"]?.integer == 0)
            #expect(try await client.get("/v1/notifications/badge", as: "ben").json["unread"]?.integer == 1)
        }
    }

    @Test("PRV-08 Another user's notification and a missing one give the same bytes on every route")
    func others() async throws {
        try await FeedTests.run(1) { _, client, ids async throws in
            for (method, path, body) in [
                (HTTPRequest.Method.get, "/v1/notifications/ID", nil), (.patch, "/v1/notifications/ID", "{}"),
                (.post, "/v1/notifications/ID/opened", nil),
                (.post, "/v1/notifications/read-all", "{\"before\":\"ID\"}"),
                (.post, "/v1/notifications/seen", "{\"before\":\"ID\"}"),
            ] as [(HTTPRequest.Method, String, String?)] {
                var replies: [Client.Reply] = []
                for id in [ids[0], "0123456789abcdef0123456789abcdef"] {
                    let body = body?.replacing("ID", with: id)
                    replies.append(try await client.send(method, path.replacing("ID", with: id), as: "ben", body))
                }
                #expect(replies.allSatisfy { $0.status == 404 } && replies[0].bytes == replies[1].bytes, "\(path)")
            }
        }
    }

    @Test(
        "PRV-07 An empty notification leaves list and badge, and names nothing, closed and deleted alike"
    )
    func tombstones() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture.run { client async throws in
            var titles: [JSONValue] = []
            for (number, isDeleted) in [false, true].enumerated() {
                let latitude = 40.0 + Double(number)
                fixture.clock.advance(seconds: 6 * 3_600)
                let story = try await client.create(as: "cora", title: "Secretive", latitude: latitude)
                let id = try await FeedTests.visit(latitude, fixture, client)
                let before = try await client.get("/v1/notifications/\(id)", as: "ben").json
                #expect(before["count"]?.integer == 1)
                #expect(try await client.get("/v1/notifications/badge", as: "ben").json["unread"]?.integer == 1)
                if isDeleted {
                    _ = try await client.send(.delete, "/v1/stories/\(story)", as: "cora")
                } else {
                    let body = #"{"privacy":"private"}"#
                    _ = try await client.send(.put, "/v1/stories/\(story)/privacy", as: "cora", body)
                }
                let after = try await client.get("/v1/notifications/\(id)", as: "ben").json
                #expect(after["type"]?.string == "gone" && after["place"] == nil && after["content_ids"] == nil)
                titles.append(.array([after["title"] ?? .null, after["body"] ?? .null, after["url"] ?? .null]))
                #expect(try await client.get("/v1/notifications/badge", as: "ben").json["unread"]?.integer == 0)
                #expect(
                    try await client.get("/v1/notifications", as: "ben").json["notifications"]?.array?.isEmpty == true
                )
            }
            #expect(titles[0] == titles[1])
        }
    }

    /// Lets ben come to a place; returns the id of what he is told.
    static func visit(_ latitude: Double, _ fixture: ServiceFixture, _ client: Client) async throws -> String {
        _ = try await client.send(.put, "/v1/me/notification-settings", as: "ben", #"{"enabled":true}"#)
        let time = RFC3339.format(fixture.clock.now)
        let fix = "{\"device\":\"p\",\"fixes\":[{\"t\":\"\(time)\",\"lat\":\(latitude),\"lon\":-84.3736,\"acc\":5}]}"
        _ = try await client.send(.post, "/v1/fixes", as: "ben", fix)
        fixture.clock.advance(seconds: 60)
        _ = try await fixture.library.fences.fireTimers()
        let feed = try await client.get("/v1/notifications", as: "ben").json
        return try #require(feed["notifications"]?[0]?["id"]?.string)
    }
}
