import App
import Library
import Formats
import Foundation
import GRDB
import HTTPTypes
import Storage
import Stories
import Testing
import TestSupport

@Suite("SYN-03 Changes since a cursor")
struct ChangesTests {
    @Test(
        "SYN-03 PRV-02 Copies kept by changes match a fresh listing and never contain invisible ids",
        arguments: 1...4
    )
    func copies(seed: Int) async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            var world = try await SyncWorld(fixture: fixture, client: client, seed: UInt64(seed))
            let users: [String?] = [nil] + SyncWorld.users.map { $0 }
            var copies = users.map { SyncedCopy(user: $0) }
            var everSeen: [Set<String>] = users.map { _ in [] }
            for step in 0..<80 {
                try await world.step()
                for index in users.indices {
                    let visible = try await world.visible(to: users[index])
                    everSeen[index].formUnion(visible)
                    // Some syncs are broken off after a page and taken up again after further changes.
                    let choice = world.number(0..<8)
                    guard choice < 2 || step == 79 else { continue }
                    try await copies[index].sync(client, pages: choice == 0 && step < 79 ? 1 : .max)
                    guard choice != 0 || step == 79 else { continue }
                    // The sync may have been the rest of one that began earlier: the next one brings everything.
                    try await copies[index].sync(client)
                    var fresh = SyncedCopy(user: users[index])
                    try await fresh.sync(client, limit: 500)
                    #expect(Set(fresh.stories.keys) == visible)
                    #expect(copies[index].stories == fresh.stories, "seed \(seed), step \(step), viewer \(index)")
                    #expect(copies[index].delivered.isSubset(of: everSeen[index]), "seed \(seed), step \(step)")
                }
            }
        }
    }

    @Test("SYN-03 LOC-08 A move within the published cell is only sent to the owner and trusted family")
    func cell() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture.run { client async throws in
            func place(_ latitude: String) -> String {
                ",\"location\":{\"lat\":\(latitude),\"lon\":2,\"precision\":\"approximate\",\"family_sees_exact\":true}"
            }
            let id = try await client.create(as: "ana", title: "x", latitude: nil, extra: place("33.001"))
            let hidden = try await client.create(as: "ana", title: "y", extra: ",\"privacy\":\"private\"")
            // What happens within the millisecond of a sync may be told twice.
            fixture.clock.advance(seconds: 1)
            let viewers = [nil, "cora", "ben", "ana"]
            var copies = viewers.map { SyncedCopy(user: $0) }
            for index in copies.indices { try await copies[index].sync(client) }
            fixture.clock.advance(seconds: 60)
            // Nothing at all was changed.
            for index in copies.indices {
                try await copies[index].sync(client)
                #expect(copies[index].latest == [])
            }
            fixture.clock.advance(seconds: 60)
            _ = try await client.send(.patch, "/v1/stories/\(id)", as: "ana", "{\"location\":{\"lat\":33.002}}")
            _ = try await client.send(.delete, "/v1/stories/\(hidden)", as: "ana")
            for index in copies.indices { try await copies[index].sync(client) }
            #expect(copies.map(\.latest) == [[], [], [id], [id, hidden]])
        }
    }

    @Test(
        "SYN-03 PRV-03 A story that left a layer within a millisecond before the viewer joined is not reported"
    )
    func neverTogether() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture.run { client async throws in
            let family = try #require(FamilyID("whitfield"))
            let cora = try #require(UserID("cora"))
            let now = fixture.clock.now
            var copy = SyncedCopy(user: "cora")
            try await copy.sync(client)
            func share() async throws -> String {
                try await client.create(as: "ana", title: "x", extra: ",\"privacy\":\"family_only\"")
            }
            let early = try await share()
            _ = try await client.send(.patch, "/v1/stories/\(early)", as: "ana", "{\"privacy\":\"private\"}")
            try await fixture.library.store.write { try $0.saveMember(cora, of: family, role: .member, at: now) }
            let seen = try await share()
            try await fixture.library.store.write { _ = try $0.removeMember(cora, of: family) }
            let late = try await share()
            for id in [seen, late] { _ = try await client.send(.delete, "/v1/stories/\(id)", as: "ana") }
            try await copy.sync(client)
            #expect(copy.delivered == [seen])
        }
    }

    /// How family loses the exact point of a story that stays public: the requests and who makes them.
    private static let losses: [[(HTTPRequest.Method, String, String, String?)]] = [
        [(.put, "/v1/stories/{id}/privacy", "ana", "{\"privacy\":\"public\",\"family\":\"{other}\"}")],
        [
            (.delete, "/v1/families/whitfield/members/ben", "ben", nil),
            (.patch, "/v1/stories/{id}", "ana", "{\"location\":{\"family_sees_exact\":false}}"),
        ],
        [
            (.delete, "/v1/families/whitfield/members/ben", "ben", nil),
            (.delete, "/v1/stories/{id}/location", "ana", nil),
        ],
        [
            (.delete, "/v1/families/whitfield/members/ben", "ben", nil),
            (.put, "/v1/stories/{id}/privacy", "ana", "{\"privacy\":\"public\",\"family\":\"{other}\"}"),
        ],
    ]

    @Test(
        "SYN-03 LOC-08 Only family members who lose an exact point learn of it, whatever the cause",
        arguments: losses.indices
    )
    func lostPoint(index: Int) async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture.run { client async throws in
            let other = try await client.makeFamily(of: "ana", "Other")
            let place = "{\"lat\":33.7554,\"lon\":-84.3736,\"precision\":\"hidden\",\"family_sees_exact\":true}"
            let id = try await client.create(as: "ana", title: "x", latitude: nil, extra: ",\"location\":\(place)")
            // What happens within the millisecond of a sync may be told twice.
            fixture.clock.advance(seconds: 1)
            var (ben, cora) = (SyncedCopy(user: "ben"), SyncedCopy(user: "cora"))
            try await ben.sync(client)
            try await cora.sync(client)
            #expect(ben.stories[id]?["location"]?["lat"]?.number == 33.7554)
            for (method, path, user, body) in ChangesTests.losses[index] {
                fixture.clock.advance(seconds: 60)
                let path = path.replacing("{id}", with: id)
                let reply = try await client.send(method, path, as: user, body?.replacing("{other}", with: other))
                #expect((200..<300).contains(reply.status), "\(path)")
            }
            try await ben.sync(client)
            try await cora.sync(client)
            let now = try await client.get("/v1/stories/\(id)", as: "ben").json
            #expect(now["location"]?.isNull == true && ben.stories[id] == now)
            // Without a place, which was hidden, the story has its own times again: that is news to everybody.
            let hasLostPlace = ChangesTests.losses[index].contains { $0.1.hasSuffix("/location") }
            #expect(cora.latest.isEmpty || hasLostPlace)
        }
    }

    @Test("SYN-03 A change in progress during a sync is in the next one, however long it takes")
    func interleaving() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            let id = try await client.create(as: "ana", title: "Before")
            let key = try #require(StoryID(id))
            var copy = SyncedCopy(user: nil)
            try await copy.sync(client)
            fixture.clock.advance(seconds: 60)
            let clock = fixture.clock
            let held = await HeldWrite.begin(in: fixture.library.store) { transaction in
                var story = try #require(try transaction.story(key))
                story.title = "After"
                try transaction.update(story)
            }
            clock.advance(seconds: 3_600)
            try await copy.sync(client)
            #expect(copy.stories[id]?["title"]?.string == "Before")
            try await held.end()
            clock.advance(seconds: 3_600)
            try await copy.sync(client)
            #expect(copy.stories[id]?["title"]?.string == "After")
            clock.advance(seconds: 3_600)
            try await copy.sync(client)
            #expect(copy.latest == [])
        }
    }

    @Test("SYN-03 A cursor is valid for its viewer only, cannot be forged, and expires after 90 days with 410")
    func cursors() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            _ = try await client.create(as: "ana", title: "x")
            let first = try await client.get("/v1/changes", as: "ana").json
            #expect(first["last_synced_at"]?.isNull == true && first["more"]?.bool == false)
            let next = try #require(first["next"]?.string)
            fixture.clock.advance(seconds: 5)
            let second = try await client.get("/v1/changes?since=\(next)", as: "ana").json
            #expect(second["last_synced_at"] == first["synced_at"])
            #expect(second["synced_at"]?.string == "2026-11-21T12:00:05Z")
            for viewer in ["ben", nil] {
                #expect(try await client.get("/v1/changes?since=\(next)", as: viewer).status == 400)
            }
            let forged = (next.first == "A" ? "B" : "A") + next.dropFirst()
            #expect(try await client.get("/v1/changes?since=\(forged)", as: "ana").status == 400)
            #expect(try await client.get("/v1/changes?since=\(next)x", as: "ana").status == 400)
            fixture.clock.advance(seconds: 90 * 86_400)
            let late = try await client.get("/v1/changes?since=\(next)", as: "ana")
            #expect(late.status == 410 && late.json["type"]?.string == "/problems/cursor-too-old")
        }
    }

    @Test("SYN-03 NTF-09 After an erasure others learn which stories are gone, but the past no longer names the person")
    func erasure() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture.run { client async throws in
            let shared = try await client.create(as: "ana", title: "x", extra: ",\"privacy\":\"family_only\"")
            _ = try await client.create(as: "ana", title: "y", extra: ",\"privacy\":\"private\"")
            var copies = ["ben", "cora"].map { SyncedCopy(user: $0) }
            for index in copies.indices { try await copies[index].sync(client) }
            fixture.clock.advance(seconds: 60)
            let ana = try #require(UserID("ana"))
            #expect(try await fixture.library.rights.erasures.eraseAccount(of: ana) != nil)
            for index in copies.indices { try await copies[index].sync(client) }
            #expect(copies.map(\.latest) == [[shared], []])
            #expect(copies.allSatisfy { $0.stories.isEmpty })
            let names = try fixture.library.store.inspect { db in
                let tables = ["past_audiences", "past_memberships", "deleted_stories"]
                return try tables.reduce(0) { sum, table in
                    let columns = try db.columns(in: table).map { "instr(\($0.name), 'ana') > 0" }
                    let sql = "SELECT count(*) FROM \(table) WHERE \(columns.joined(separator: " OR "))"
                    return sum + (try Int.fetchOne(db, sql: sql) ?? 0)
                }
            }
            #expect(names == 0)
        }
    }
}
