import App
import Library
import Formats
import HTTPTypes
import TestSupport
import Testing

@Suite("Viewed stories")
struct ViewedTests {
    @Test("NTF-06 A viewed story is not announced unless the user wants it, and takes up no fence")
    func viewed() async throws {
        let fixture = try await ServiceFixture()
        let cross = CrossOfPlaces(fixture: fixture)
        try await fixture.run { client async throws in
            try await cross.prepare(client, bearings: [])
            let seen = try await client.create(as: "ana", title: "Seen")
            let new = try await client.create(as: "ana", title: "New")
            let path = "/v1/stories/\(seen)/viewed"
            for _ in 0..<2 { #expect(try await client.send(.post, path, as: "ben").status == 204) }
            for _ in 0..<2 {
                _ = try await cross.report(client)
                fixture.clock.advance(seconds: 6)
            }
            let feed = try await cross.feed(client)
            #expect(feed.compactMap { $0["content_ids"]?.array?.compactMap(\.string) } == [[new]])
            let around = "/v1/fences?lat=33.7554&lon=-84.3736"
            #expect(try await client.get(around, as: "ben").json["fences"]?.array?.isEmpty == true)
            _ = try await client.send(.put, CrossOfPlaces.settings, as: "ben", "{\"notify_viewed\":true}")
            #expect(try await client.get(CrossOfPlaces.settings, as: "ben").json["notify_viewed"]?.bool == true)
            #expect(try await client.get(around, as: "ben").json["fences"]?.array?.count == 1)
            // On another device, that comes to the place now.
            for _ in 0..<2 {
                _ = try await cross.report(client, device: "watch")
                fixture.clock.advance(seconds: 6)
            }
            #expect(try await cross.feed(client).first?["content_ids"]?.array?.compactMap(\.string) == [seen])
        }
    }

    @Test("PRV-02 NTF-06 Only visible stories can be viewed, and views are private")
    func rights() async throws {
        let fixture = try await ServiceFixture()
        let cross = CrossOfPlaces(fixture: fixture)
        try await fixture.run { client async throws in
            try await cross.prepare(client, bearings: [])
            let own = try await client.create(as: "ana", title: "Own", extra: ",\"privacy\":\"private\"")
            let open = try await client.create(as: "ana", title: "Open")
            #expect(try await client.send(.post, "/v1/stories/\(own)/viewed", as: "ben").status == 404)
            #expect(try await client.send(.post, "/v1/stories/\(open)/viewed").status == 401)
            // That Cora looked at it says nothing of Ben.
            #expect(try await client.send(.post, "/v1/stories/\(open)/viewed", as: "cora").status == 204)
            for _ in 0..<2 {
                _ = try await cross.report(client)
                fixture.clock.advance(seconds: 6)
            }
            #expect(try await cross.feed(client).count == 1)
        }
    }
}
