import App
import Library
import Formats
import HTTPTypes
import Storage
import Stories
import TestSupport
import Testing

@Suite("Share links over HTTP")
struct ShareLinkTests {
    /// A link that was just made.
    private struct Made {
        let id: String
        let secret: String
    }

    private static let world = "bbox=-180,-85,180,85&zoom=3"

    private static func share(_ client: Client, as user: String, _ body: String) async throws -> Made {
        let reply = try await client.send(.post, "/v1/me/share-links", as: user, body)
        #expect(reply.status == 201, "\(String(decoding: reply.bytes, as: UTF8.self))")
        let made = Made(
            id: try #require(reply.json["id"]?.string),
            secret: try #require(reply.json["secret"]?.string)
        )
        #expect(reply.json["url"]?.string?.hasSuffix("/#share=\(made.secret)") == true)
        return made
    }

    private static func read(_ client: Client, _ path: String, _ secret: String) async throws -> Client.Reply {
        try await client.get(path, headers: [.authorization: "Bearer " + secret])
    }

    private static func titles(_ client: Client, _ secret: String, _ query: String = "") async throws -> [String] {
        let list = try await read(client, "/v1/shared/stories" + query, secret).json
        return (list["features"]?.array ?? []).compactMap { $0["properties"]?["title"]?.string }.sorted()
    }

    @Test("A private story is shared by a link, with its place as coarse as the link says")
    func precision() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture.run { client async throws in
            let more =
                ",\"privacy\":\"private\",\"date\":\"1965-03-21\",\"client_id\":\"c1\",\"collection\":\"Secret trip\""
            let id = try await client.create(as: "ana", title: "Shared", extra: more)
            _ = try await client.create(as: "ana", title: "Public beside it")
            let rows: [(String, (latitude: Double, longitude: Double)?, String)] = [
                ("exact", (33.7554, -84.3736), "1965-03-21"), ("approximate", (33.755, -84.375), "1965-03"),
                ("hidden", nil, "1965"),
            ]
            for (precision, point, date) in rows {
                let body = "{\"story\":\"\(id)\",\"precision\":\"\(precision)\"}"
                let link = try await ShareLinkTests.share(client, as: "ana", body)
                let about = try await ShareLinkTests.read(client, "/v1/shared", link.secret)
                #expect(about.json["title"]?.string == "Shared" && about.json["owner_name"]?.string == "Ana")
                #expect(about.json["story_count"]?.integer == 1 && about.json["precision"]?.string == precision)
                #expect(about.headers[.cacheControl] == "no-store")
                let story = try await ShareLinkTests.read(client, "/v1/shared/stories/\(id)", link.secret).json
                #expect(story["location"]?["lat"]?.number == point?.latitude)
                #expect(story["location"]?["lon"]?.number == point?.longitude)
                #expect(story["date"]?.string == date)
                #expect(story["collection"]?.string == nil && story["client_id"]?.string == nil)
                let viewport = "/v1/shared/clusters?\(ShareLinkTests.world)"
                let map = try await ShareLinkTests.read(client, viewport, link.secret)
                #expect(map.json["numberMatched"]?.integer == (point == nil ? 0 : 1))
                let bounds = try await ShareLinkTests.read(client, "/v1/shared/bounds", link.secret).json["bbox"]?.array
                #expect(bounds?.first?.number == point?.longitude)
                let here = "/v1/shared/nearby?lat=33.7554&lon=-84.3736"
                let near = try await ShareLinkTests.read(client, here, link.secret)
                #expect(near.json["numberReturned"]?.integer == (point == nil ? 0 : 1))
                let dates = try await ShareLinkTests.read(client, "/v1/shared/histogram", link.secret).json
                #expect(dates["numberMatched"]?.integer == 1)
                #expect(try await ShareLinkTests.titles(client, link.secret) == ["Shared"])
                #expect(try await ShareLinkTests.titles(client, link.secret, "?q=shar") == ["Shared"])
                #expect(try await ShareLinkTests.titles(client, link.secret, "?q=public") == [])
            }
        }
    }

    @Test("PRV-02 A collection's link shows its owner's stories in it: no private, no others', nothing beside it")
    func collection() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture.run { client async throws in
            let trip = ",\"privacy\":\"family_only\",\"family\":\"whitfield\""
            let made = try await client.send(.post, "/v1/collections", as: "ana", "{\"title\":\"Delta\"\(trip)}")
            let id = try #require(made.json["id"]?.string)
            let inside = ",\"collection\":\"Delta\""
            for level in ["public", "family_only", "private"] {
                _ = try await client.create(as: "ana", title: level, extra: inside + ",\"privacy\":\"\(level)\"")
            }
            _ = try await client.create(as: "ben", title: "Ben's", extra: inside + trip)
            let beside = try await client.create(as: "ana", title: "Beside it")
            let link = try await ShareLinkTests.share(client, as: "ana", "{\"collection\":\"\(id)\",\"days\":1}")
            #expect(try await ShareLinkTests.titles(client, link.secret) == ["family_only", "public"])
            let byID = try await ShareLinkTests.titles(client, link.secret, "?collection=\(id)")
            #expect(byID == ["family_only", "public"])
            #expect(try await ShareLinkTests.read(client, "/v1/shared/stories/\(beside)", link.secret).status == 404)
            let facets = try await ShareLinkTests.read(client, "/v1/shared/facets", link.secret).json
            #expect(facets["numberMatched"]?.integer == 2 && facets["favourites"]?.integer == 0)
            // A story that is added later is shown too, and one that becomes private no longer.
            let late = try await client.create(as: "ana", title: "Late", extra: inside)
            #expect(try await ShareLinkTests.titles(client, link.secret) == ["Late", "family_only", "public"])
            let body = #"{"privacy":"private"}"#
            #expect(try await client.send(.put, "/v1/stories/\(late)/privacy", as: "ana", body).status == 200)
            #expect(try await ShareLinkTests.titles(client, link.secret) == ["family_only", "public"])
        }
    }

    @Test("Only one's own is shared; input is checked, and the number of links limited")
    func refusals() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture.run { client async throws in
            let open = try await client.create(as: "ben", title: "Open")
            let secret = try await client.create(as: "ben", title: "Secret", extra: ",\"privacy\":\"private\"")
            let own = try await client.create(as: "ana", title: "Own")
            let absent = String(repeating: "0", count: 32)
            let rows: [(String, Int)] = [
                ("{\"story\":\"\(open)\"}", 403), ("{\"story\":\"\(secret)\"}", 404),
                ("{\"story\":\"\(absent)\"}", 404),
                ("{\"collection\":\"\(absent)\"}", 404), ("{}", 422),
                ("{\"story\":\"\(own)\",\"collection\":\"\(absent)\"}", 422),
                ("{\"story\":\"\(own)\",\"days\":0}", 422), ("{\"story\":\"\(own)\",\"days\":366}", 422),
                ("{\"story\":\"\(own)\",\"precision\":\"near\"}", 422),
            ]
            for (body, status) in rows {
                #expect(try await client.send(.post, "/v1/me/share-links", as: "ana", body).status == status, "\(body)")
            }
            #expect(try await client.get("/v1/me/share-links", as: "ana").json["links"]?.array?.count == 0)
            let body = "{\"story\":\"\(own)\"}"
            for _ in 0..<StoryLimits.shareCount { _ = try await ShareLinkTests.share(client, as: "ana", body) }
            let more = try await client.send(.post, "/v1/me/share-links", as: "ana", body)
            #expect(more.status == 409 && more.json["type"]?.string?.hasSuffix("too-many-links") == true)
        }
    }

    /// What ends a link.
    enum End: CaseIterable {
        case revocation, expiry, deletion, accountPrivate, erasure
    }

    @Test("Whatever ends a link ends it at once, and looks like a link that never was", arguments: End.allCases)
    func ends(end: End) async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        let ana = try #require(UserID("ana"))
        let now = fixture.clock.now
        try await fixture.run { client async throws in
            let id = try await client.create(as: "ana", title: "Shared")
            let link = try await ShareLinkTests.share(client, as: "ana", "{\"story\":\"\(id)\",\"days\":1}")
            #expect(try await ShareLinkTests.read(client, "/v1/shared", link.secret).status == 200)
            #expect(try await client.send(.delete, "/v1/me/share-links/\(link.id)", as: "ben").status == 404)
            switch end {
            case .revocation:
                #expect(try await client.send(.delete, "/v1/me/share-links/\(link.id)", as: "ana").status == 204)
                #expect(try await client.send(.delete, "/v1/me/share-links/\(link.id)", as: "ana").status == 404)
            case .expiry: fixture.clock.advance(seconds: 86_400)
            case .deletion: #expect(try await client.send(.delete, "/v1/stories/\(id)", as: "ana").status == 204)
            case .accountPrivate:
                let storyID = try #require(StoryID(id))
                let stored = try await fixture.library.store.read { try $0.story(storyID) }
                var story = try #require(stored)
                story.autoPrivate = true
                let closed = story
                try await fixture.library.store.write { try $0.update(closed) }
            case .erasure: #expect(try await client.send(.delete, "/v1/me", as: "ana").status == 200)
            }
            let unknown = SecretText.new(.share, random: .system).text
            let never = try await ShareLinkTests.read(client, "/v1/shared", unknown)
            #expect(never.status == 401)
            for path in ["/v1/shared", "/v1/shared/stories", "/v1/shared/stories/\(id)", "/v1/shared/bounds"] {
                let reply = try await ShareLinkTests.read(client, path, link.secret)
                #expect(reply.status == 401 && reply.json["detail"] == never.json["detail"], "\(path)")
            }
            let left = try await fixture.library.store.read { try $0.shareLinks(of: ana, at: now) }
            #expect(left.isEmpty == (end != .expiry && end != .accountPrivate))
        }
    }

    @Test("A link's secret opens nothing else, and nothing else opens what links show")
    func otherCredentials() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture.run { client async throws in
            let id = try await client.create(as: "ana", title: "Shared")
            let link = try await ShareLinkTests.share(client, as: "ana", "{\"story\":\"\(id)\"}")
            for path in ["/v1/stories", "/v1/stories/\(id)", "/v1/me", "/v1/notifications", "/healthz"] {
                #expect(try await ShareLinkTests.read(client, path, link.secret).status == 401, "\(path)")
            }
            #expect(try await client.get("/v1/shared", as: "ana").status == 401)
            #expect(try await client.get("/v1/shared").status == 401)
            for text in [String(link.secret.dropLast()), link.secret + "0", link.secret.lowercased(), "wm_share_"] {
                #expect(try await ShareLinkTests.read(client, "/v1/shared", text).status == 401)
            }
            // Neither the list nor the export nor the file contains the secret.
            let list = try await client.get("/v1/me/share-links", as: "ana")
            #expect(list.json["links"]?.array?.first?["id"]?.string == link.id)
            #expect(!String(decoding: list.bytes, as: UTF8.self).contains(link.secret))
        }
        try fixture.library.store.close()
        #expect(try ByteSearch(texts: ["wm_share_"], degrees: []).findings(in: fixture.folder.url) == [])
    }

    @Test("Of a link's use only the day is kept")
    func lastUse() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture.run { client async throws in
            let id = try await client.create(as: "ana", title: "Shared")
            let link = try await ShareLinkTests.share(client, as: "ana", "{\"story\":\"\(id)\"}")
            func used() async throws -> JSONValue? {
                try await client.get("/v1/me/share-links", as: "ana").json["links"]?.array?.first?["last_used_on"]
            }
            #expect(try await used()?.isNull == true)
            _ = try await ShareLinkTests.read(client, "/v1/shared", link.secret)
            let day = fixture.clock.now.day?.description
            #expect(try await used()?.string == day)
            let stored = try await fixture.library.store.read { try $0.shareLink(link.id) }
            #expect(stored?.usedAt?.milliseconds.isMultiple(of: 86_400_000) == true)
        }
    }

    @Test("A revoked link stays revoked in an older copy of the database")
    func restoredCopy() async throws {
        let before = try await ServiceFixture()
        try await before.makeFamilies()
        let copy = try TemporaryFolder()
        let made = Kept()
        try await before.run { client async throws in
            let id = try await client.create(as: "ana", title: "Shared")
            for _ in 0..<2 {
                await made.add(try await ShareLinkTests.share(client, as: "ana", "{\"story\":\"\(id)\"}"))
            }
        }
        let links = await made.links
        try before.closeAndCopy(to: copy)
        let later = try await ServiceFixture(of: before)
        try await later.run { client async throws in
            #expect(try await client.send(.delete, "/v1/me/share-links/\(links[0].id)", as: "ana").status == 204)
        }
        try later.closeAndPutBack(copy)
        let restored = try await ServiceFixture(of: before)
        try await restored.run { client async throws in
            #expect(try await ShareLinkTests.read(client, "/v1/shared", links[0].secret).status == 401)
            #expect(try await ShareLinkTests.read(client, "/v1/shared", links[1].secret).status == 200)
        }
    }

    /// Links that a closure hands out.
    private actor Kept {
        private(set) var links: [Made] = []

        func add(_ link: Made) { links.append(link) }
    }
}
