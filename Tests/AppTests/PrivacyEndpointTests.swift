import App
import Library
import Formats
import HTTPTypes
import Storage
import Stories
import StoryMap
import Testing
import TestSupport

@Suite("Privacy levels over HTTP")
struct PrivacyEndpointTests {
    /// Who sees a story of ana's at each level.
    private static let audiences: [(privacy: String, seen: Set<String?>)] = [
        ("public", ["ana", "ben", "cora", nil]), ("family_only", ["ana", "ben"]), ("private", ["ana"]),
    ]

    @Test("PRV-01 Any level changes to any other immediately, on every surface, for every viewer")
    func everyLevelToEveryOther() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture.run { client async throws in
            let id = try await client.create(as: "ana", title: "Wheat harvest")
            let surfaces = Surfaces(client: client, id: id, word: "harvest")
            // A way through the three levels on which each follows each, itself too.
            for number in [0, 0, 1, 1, 2, 2, 0, 2, 1, 0] {
                let level = PrivacyEndpointTests.audiences[number]
                let body = "{\"privacy\":\"\(level.privacy)\"}"
                let reply = try await client.send(.put, "/v1/stories/\(id)/privacy", as: "ana", body)
                #expect(reply.status == 200 && reply.json["privacy"]?.string == level.privacy)
                try await surfaces.expect(level.seen, level.privacy)
            }
        }
    }

    @Test("PRV-01 A named family stays until it is changed; a foreign family cannot be named")
    func namedFamily() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture.run { client async throws in
            let path = "/v1/stories/\(try await client.create(as: "ana", title: "x"))/privacy"
            for (body, family) in [
                ("{\"privacy\":\"family_only\",\"family\":\"whitfield\"}", "whitfield"),
                ("{\"privacy\":\"private\"}", "whitfield"), ("{\"privacy\":\"family_only\"}", "whitfield"),
                ("{\"privacy\":\"family_only\",\"family\":null}", nil),
            ] as [(String, String?)] {
                let reply = try await client.send(.put, path, as: "ana", body)
                #expect(reply.status == 200 && reply.json["family"]?.string == family, "\(body)")
            }
            for (body, field) in [
                ("{\"privacy\":\"family_only\",\"family\":\"delacroix\"}", "family"),
                ("{\"privacy\":\"family_only\",\"family\":\"nobodys\"}", "family"), ("{}", "privacy"),
                ("{\"privacy\":\"secret\"}", "privacy"), ("{\"privacy\":\"public\",\"title\":\"y\"}", "title"),
            ] {
                let reply = try await client.send(.put, path, as: "ana", body)
                #expect(reply.status == 422 && reply.json["errors"]?[0]?["field"]?.string == field, "\(body)")
            }
        }
    }

    @Test("PRV-08 SYN-02 Only the owner can change a level, and only in the version they have seen")
    func whoMayChange() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture.run { client async throws in
            let id = try await client.create(as: "ana", title: "x")
            let path = "/v1/stories/\(id)/privacy"
            let body = "{\"privacy\":\"private\"}"
            #expect(try await client.send(.put, path, as: "ben", body).status == 403)
            #expect(try await client.send(.put, path, as: nil, body).status == 401)
            let tag = try #require(try await client.get("/v1/stories/\(id)", as: "ana").headers[.eTag])
            let first = try await client.send(.put, path, as: "ana", body, headers: [.ifMatch: tag])
            #expect(first.status == 200)
            let second = try await client.send(.put, path, as: "ana", body, headers: [.ifMatch: tag])
            #expect(second.status == 412 && second.headers[.eTag] == first.headers[.eTag])
            let unseen = try await client.send(.put, path, as: "ben", body)
            let absent = try await client.send(.put, path.replacing(id, with: "0"), as: "ben", body)
            #expect(unseen.status == 404 && unseen.bytes == absent.bytes)
        }
    }

    @Test("PRV-01 Each level and each precision comes with its plain explanation")
    func explanations() async throws {
        try await ServiceFixture()
            .run { client async throws in
                let reply = try await client.get("/v1/privacy-levels")
                #expect(reply.status == 200 && reply.json["version"]?.string == PrivacyExplanation.version)
                let levels = reply.json["levels"]?.array ?? []
                #expect(levels.compactMap { $0["privacy"]?.string } == Privacy.allCases.map(\.rawValue))
                for level in levels {
                    for name in ["title", "who", "map", "search", "notifications"] {
                        #expect(level[name]?.string?.isEmpty == false)
                    }
                }
                let precisions = reply.json["precisions"]?.array?.compactMap { $0["precision"]?.string }
                let all: [LocationPrecision] = [.exact, .approximate(.tenth), .hidden]
                #expect(precisions == all.map(\.name))
            }
    }

    @Test("PRV-05 Auto-private restricts every level to the owner, remembers it, and restores it")
    func autoPrivate() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture.run { client async throws in
            let text = try await client.create(as: "ana", title: "Wheat harvest")
            let surfaces = Surfaces(client: client, id: text, word: "harvest")
            let id = try #require(StoryID(text))
            let ana = try #require(UserID("ana"))
            for first in PrivacyEndpointTests.audiences {
                for second in PrivacyEndpointTests.audiences {
                    func put(_ privacy: String) async throws -> JSONValue {
                        let path = "/v1/stories/\(text)/privacy"
                        return try await client.send(.put, path, as: "ana", "{\"privacy\":\"\(privacy)\"}").json
                    }
                    _ = try await put(first.privacy)
                    #expect(try await fixture.library.moderation.autoPrivate.set(true, stories: [id]).changed == 1)
                    #expect(try await fixture.library.moderation.autoPrivate.set(true, stories: [id]).unchanged == 1)
                    if first.privacy == second.privacy {
                        try await surfaces.expect(["ana"], "\(first.privacy), flagged")
                    }
                    let mine = try await client.get("/v1/stories/\(text)", as: "ana").json
                    #expect(mine["privacy"]?.string == first.privacy && mine["auto_private"]?.bool == true)
                    let changed = try await put(second.privacy)
                    #expect(changed["privacy"]?.string == second.privacy && changed["auto_private"]?.bool == true)
                    if first.privacy != second.privacy {
                        try await surfaces.expect(["ana"], "\(second.privacy), flagged")
                    }
                    #expect(try await fixture.library.moderation.autoPrivate.set(false, account: ana)?.changed == 1)
                    try await surfaces.expect(second.seen, "\(first.privacy) to \(second.privacy), cleared")
                }
            }
        }
    }

    @Test("PRV-05 A whole account is set and cleared over many transactions, without anyone else's stories")
    func wholeAccount() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        let world = StoryWorld(seed: 5, count: 2_000)
        let stories = world.stories.map { story in
            var copy = story
            (copy.family, copy.autoPrivate, copy.isWithheld) = (nil, false, false)
            return copy
        }
        try await fixture.library.store.write { transaction in
            for user in world.users { try transaction.ensureUser(user, at: Timestamp(milliseconds: 0)) }
            for story in stories { try transaction.insert(story) }
        }
        fixture.library.map.apply(stories.map { .put($0) })
        let ana = try #require(UserID("ana"))
        let mine = stories.count { $0.owner == ana }
        let before = try await fixture.publicCount()
        let done = try await fixture.library.moderation.autoPrivate.set(true, account: ana)
        #expect(done?.changed == mine && done?.unchanged == 0)
        let shared = stories.count { $0.owner == ana && $0.privacy == .public }
        #expect(try await fixture.publicCount() == before - shared)
        #expect(try await fixture.library.moderation.autoPrivate.set(false, account: ana)?.changed == mine)
        #expect(try await fixture.publicCount() == before)
        let nobody = try #require(UserID("nobody"))
        #expect(try await fixture.library.moderation.autoPrivate.set(true, account: nobody) == nil)
        let ids = stories.prefix(700).map(\.id) + [StoryID(high: 0, low: 0), stories[0].id]
        let named = try await fixture.library.moderation.autoPrivate.set(true, stories: ids)
        #expect(named.changed == 700 && named.unchanged == 0 && named.unknown == 1)
    }
}

extension ServiceFixture {
    /// How many stories anybody finds.
    func publicCount() async throws -> Int {
        try await library.maps.stories(.init(limit: 1), search: .init(), viewer: .anonymous).matched
    }
}
