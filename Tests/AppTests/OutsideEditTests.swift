import App
import Library
import Formats
import Foundation
import GRDB
import HTTPTypes
import Storage
import Stories
import TestSupport
import Testing

/// STO: what another program changes in the file beside the service holds at once, and shows nobody more than before.
@Suite("Changes by other programs")
struct OutsideEditTests {
    private static let world = "bbox=-180,-85,180,85"

    /// Another program's connection: with SpatiaLite as QGIS has it, or without, as SQLite's own shell.
    private static func other(_ fixture: ServiceFixture, spatial: Bool = false) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.foreignKeysEnabled = false
        configuration.busyMode = .timeout(60)
        if spatial { configuration.prepareDatabase { try SpatialConnection.load(into: $0) } }
        return try DatabaseQueue(path: fixture.folder.path("waymark.db"), configuration: configuration)
    }

    private static func counted(_ client: Client, as user: String? = nil, _ more: String = "") async throws -> Int? {
        try await client.get("/v1/clusters?\(world)&zoom=3\(more)", as: user).json["numberMatched"]?.integer
    }

    private static func found(_ words: String, _ client: Client, as user: String? = nil) async throws -> Int? {
        try await client.get("/v1/stories?q=\(words)", as: user).json["numberMatched"]?.integer
    }

    /// How many changes by others are still to be taken over.
    private static func waiting(_ fixture: ServiceFixture) throws -> Int? {
        try fixture.library.store.inspect { try Int.fetchOne($0, sql: "SELECT count(*) FROM outside_edits") }
    }

    @Test("PRV-02 A story made private by SQL leaves map, search and copies; made public, it is back")
    func privacy() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture.run { client async throws in
            let story = try await client.create(as: "ana", title: "Lighthouse")
            _ = try await client.create(as: "ana", title: "Other", latitude: 10)
            try await fixture.library.outsideEdits.adopt()
            #expect(try await OutsideEditTests.counted(client) == 2)
            #expect(try await OutsideEditTests.found("lighthouse", client) == 1)
            let first = try await client.get("/v1/changes", as: "cora").json
            let next = try #require(first["next"]?.string)
            let tag = try await client.get("/v1/clusters?\(OutsideEditTests.world)&zoom=3").headers[.eTag]
            fixture.clock.advance(seconds: 10)
            let other = try OutsideEditTests.other(fixture)
            try await other.write {
                try $0.execute(sql: "UPDATE stories SET privacy = 'private' WHERE id = ?", arguments: [story])
            }
            #expect(try await client.get("/v1/stories/\(story)").status == 404)
            #expect(try await fixture.library.outsideEdits.adopt() == 1)
            #expect(try await OutsideEditTests.counted(client) == 1)
            #expect(try await OutsideEditTests.counted(client, as: "ana") == 2)
            #expect(try await OutsideEditTests.found("lighthouse", client) == 0)
            #expect(try await client.get("/v1/clusters?\(OutsideEditTests.world)&zoom=3").headers[.eTag] != tag)
            fixture.clock.advance(seconds: 10)
            let changes = try await client.get("/v1/changes?since=\(next)", as: "cora").json
            let removed = String(
                decoding: try await client.get("/v1/changes?since=\(next)", as: "cora").bytes,
                as: UTF8.self
            )
            #expect(removed.contains(story), "\(changes)")
            #expect(!removed.contains("Lighthouse"))
            try await other.write {
                try $0.execute(sql: "UPDATE stories SET privacy = 'public' WHERE id = ?", arguments: [story])
            }
            #expect(try await fixture.library.outsideEdits.adopt() == 1)
            #expect(try await OutsideEditTests.counted(client) == 2)
            #expect(try OutsideEditTests.waiting(fixture) == 0)
        }
    }

    @Test("PRV-02 A private story changed by SQL is not revealed to anyone else's copy")
    func unseen() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture.run { client async throws in
            let story = try await client.create(as: "ana", title: "Diary", extra: ",\"privacy\":\"private\"")
            try await fixture.library.outsideEdits.adopt()
            let next = try #require(try await client.get("/v1/changes", as: "ben").json["next"]?.string)
            fixture.clock.advance(seconds: 10)
            let other = try OutsideEditTests.other(fixture)
            for sql in ["UPDATE stories SET title = 'Journal' WHERE id = ?", "DELETE FROM stories WHERE id = ?"] {
                try await other.write { try $0.execute(sql: sql, arguments: [story]) }
                #expect(try await fixture.library.outsideEdits.adopt() == 1)
                fixture.clock.advance(seconds: 10)
                let bytes = try await client.get("/v1/changes?since=\(next)", as: "ben").bytes
                #expect(!String(decoding: bytes, as: UTF8.self).contains(story))
            }
        }
    }

    @Test("TAG-04 Text written by SQL is found, earlier text is not, and a new date is read")
    func words() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture.run { client async throws in
            let story = try await client.create(as: "ana", title: "Lighthouse", extra: ",\"date\":\"1950\"")
            try await fixture.library.outsideEdits.adopt()
            #expect(try await OutsideEditTests.found("lighthouse", client) == 1)
            let tag = try await client.get("/v1/stories/\(story)").headers[.eTag]
            let other = try OutsideEditTests.other(fixture)
            try await other.write {
                try $0.execute(
                    sql: "UPDATE stories SET title = 'Windmill', date = 'ca. 1920' WHERE id = ?",
                    arguments: [story]
                )
            }
            #expect(try await fixture.library.outsideEdits.adopt() == 1)
            #expect(try await OutsideEditTests.found("lighthouse", client) == 0)
            #expect(try await OutsideEditTests.found("windmill", client) == 1)
            let reply = try await client.get("/v1/stories/\(story)")
            #expect(reply.headers[.eTag] != tag)
            #expect(reply.json["date"]?["text"]?.string == "ca. 1920" || reply.json["date"]?.string == "ca. 1920")
            let days = try fixture.library.store.inspect {
                try Row.fetchOne($0, sql: "SELECT first_day, last_day FROM stories WHERE id = ?", arguments: [story])
            }
            #expect(days?["first_day"] == "1915-01-01" && days?["last_day"] == "1925-12-31")
        }
    }

    @Test("LOC-08 A pin moved into an area by another program is withheld until the area is applied")
    func moved() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        let area = try #require(SensitiveAreaTests.area)
        _ = try await fixture.library.moderation.areas.replace([area])
        try await fixture.run { client async throws in
            let story = try await client.create(as: "ana", title: "Moved", latitude: 50, longitude: 8)
            try await fixture.library.outsideEdits.adopt()
            let other = try OutsideEditTests.other(fixture, spatial: true)
            try await other.write {
                try $0.execute(
                    sql: "UPDATE stories SET geom = MakePoint(-84.3736, 33.7554, 4326) WHERE id = ?",
                    arguments: [story]
                )
            }
            func place(_ user: String? = nil) async throws -> JSONValue? {
                try await client.get("/v1/stories/\(story)", as: user).json["location"]
            }
            // Nobody has looked yet: no point is given out, not even a coarse one.
            #expect(try await place()?["lat"]?.number == nil)
            #expect(try await place("ana")?["lat"]?.number == 33.7554)
            #expect(try await fixture.library.outsideEdits.adopt() == 1)
            #expect(try await place()?["lat"]?.number == 33.75)
            #expect(try await place()?["lon"]?.number == -84.35)
            #expect(try await place("ana")?["lat"]?.number == 33.7554)
            let around = "/v1/clusters?bbox=-85,33,-84,34&zoom=8"
            #expect(try await client.get(around).json["numberMatched"]?.integer == 1)
            // Out of the area again it is as exact as its owner shows it.
            try await other.write {
                try $0.execute(
                    sql: "UPDATE stories SET geom = MakePoint(8, 50, 4326) WHERE id = ?",
                    arguments: [story]
                )
            }
            try await fixture.library.outsideEdits.adopt()
            #expect(try await place()?["lat"]?.number == 50)
            #expect(try await client.get(around).json["numberMatched"]?.integer == 0)
        }
    }

    @Test("PRV-07 A story deleted by another program is gone, and stays gone from every copy")
    func removed() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture.run { client async throws in
            let story = try await client.create(as: "ana", title: "Gone")
            try await fixture.library.outsideEdits.adopt()
            let next = try #require(try await client.get("/v1/changes", as: "cora").json["next"]?.string)
            fixture.clock.advance(seconds: 10)
            let other = try OutsideEditTests.other(fixture)
            try await other.write { try $0.execute(sql: "DELETE FROM stories WHERE id = ?", arguments: [story]) }
            #expect(try await fixture.library.outsideEdits.adopt() == 1)
            #expect(try await OutsideEditTests.counted(client, as: "ana") == 0)
            #expect(try await OutsideEditTests.found("gone", client) == 0)
            fixture.clock.advance(seconds: 10)
            let bytes = try await client.get("/v1/changes?since=\(next)", as: "cora").bytes
            #expect(String(decoding: bytes, as: UTF8.self).contains(story))
            #expect(try fixture.erasureLines().contains { $0[3] == "story-purged" })
        }
    }

    @Test("Neither the service's own writes nor its log checkpoints count as outside changes")
    func own() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture.run { client async throws in
            let story = try await client.create(as: "ana", title: "First")
            try await fixture.library.outsideEdits.adopt()
            let version = try await fixture.library.store.outsideVersion()
            for number in 0..<40 {
                _ = try await client.create(as: "ana", title: "Story \(number)", latitude: Double(number))
                let path = "/v1/stories/\(story)"
                let tag = try await client.get(path, as: "ana").headers[.eTag] ?? ""
                let headers: HTTPFields = [.ifMatch: tag]
                let body = "{\"title\":\"Title \(number)\",\"location\":{\"lat\":\(number),\"lon\":7}}"
                #expect(try await client.send(.patch, path, as: "ana", body, headers: headers).status == 200)
            }
            let last = try await client.create(as: "ana", title: "Last")
            _ = try await client.send(.delete, "/v1/stories/\(last)", as: "ana")
            try await fixture.library.store.foldLogAfterRemovals()
            _ = try fixture.library.store.inspect { try $0.checkpoint(.truncate) }
            _ = try await client.create(as: "ana", title: "After")
            #expect(try await client.get("/v1/stories").status == 200)
            #expect(try OutsideEditTests.waiting(fixture) == 0)
            #expect(try await fixture.library.store.outsideVersion() == version)
            #expect(try await fixture.library.outsideEdits.adopt() == 0)
        }
    }

    @Test("An outside change stays on the list until it is adopted, whatever the service writes meanwhile")
    func between() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture.run { client async throws in
            let story = try await client.create(as: "ana", title: "Both", extra: ",\"privacy\":\"private\"")
            try await fixture.library.outsideEdits.adopt()
            let other = try OutsideEditTests.other(fixture)
            try await other.write {
                try $0.execute(sql: "UPDATE stories SET privacy = 'public' WHERE id = ?", arguments: [story])
            }
            let path = "/v1/stories/\(story)"
            let tag = try await client.get(path, as: "ana").headers[.eTag] ?? ""
            let reply = try await client.send(.patch, path, as: "ana", "{\"title\":\"Ours\"}", headers: [.ifMatch: tag])
            #expect(reply.status == 200)
            #expect(try OutsideEditTests.waiting(fixture) == 1)
            #expect(try await fixture.library.outsideEdits.adopt() == 1)
            #expect(try OutsideEditTests.waiting(fixture) == 0)
            #expect(try await client.get(path).json["title"]?.string == "Ours")
        }
    }

    @Test("Changes made while no service ran are adopted at startup")
    func asleep() async throws {
        let first = try await ServiceFixture()
        try await first.makeFamilies()
        let kept = Collected()
        try await first.run { client async throws in
            await kept.add(Array(try await client.create(as: "ana", title: "Lighthouse").utf8))
        }
        try first.library.store.close()
        let story = String(decoding: try #require(await kept.all.first), as: UTF8.self)
        let other = try OutsideEditTests.other(first, spatial: true)
        try await other.write {
            try $0.execute(
                sql: "UPDATE stories SET title = 'Windmill', geom = MakePoint(7, 40, 4326) WHERE id = ?",
                arguments: [story]
            )
        }
        try other.close()
        let second = try await ServiceFixture(of: first)
        #expect(try OutsideEditTests.waiting(second) == 0)
        try await second.run { client async throws in
            #expect(try await OutsideEditTests.found("windmill", client) == 1)
            #expect(try await client.get("/v1/bounds").json["bbox"]?[3]?.number == 40)
        }
    }

    @Test("An unreadable story leaves the map and is listed in the file; the others are adopted")
    func unreadable() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture.run { client async throws in
            let broken = try await client.create(as: "ana", title: "Broken")
            let good = try await client.create(as: "ana", title: "Good", latitude: 10)
            try await fixture.library.outsideEdits.adopt()
            let other = try OutsideEditTests.other(fixture)
            try await other.write {
                try $0.execute(sql: "UPDATE stories SET tags = 'no list' WHERE id = ?", arguments: [broken])
                try $0.execute(sql: "UPDATE stories SET title = 'Better' WHERE id = ?", arguments: [good])
            }
            await #expect(throws: StoreError.self) { try await fixture.library.outsideEdits.adopt() }
            #expect(try await OutsideEditTests.counted(client) == 1)
            #expect(try await OutsideEditTests.found("better", client) == 1)
            try await other.write {
                try $0.execute(sql: "UPDATE stories SET tags = '[]' WHERE id = ?", arguments: [broken])
            }
            #expect(try await fixture.library.outsideEdits.adopt() == 1)
            #expect(try await OutsideEditTests.counted(client) == 2)
        }
    }

    @Test("A service starts although another program left a story unreadable, and shows the others")
    func unreadableAtStart() async throws {
        let first = try await ServiceFixture()
        try await first.makeFamilies()
        try await first.run { client async throws in
            _ = try await client.create(as: "ana", title: "Good", latitude: 10)
            _ = try await client.create(as: "ana", title: "Broken")
        }
        try first.library.store.close()
        let other = try OutsideEditTests.other(first)
        try await other.write { try $0.execute(sql: "UPDATE stories SET tags = 'no list' WHERE title = 'Broken'") }
        try other.close()
        let second = try await ServiceFixture(of: first)
        try await second.run { client async throws in
            #expect(try await OutsideEditTests.counted(client) == 1)
            #expect(try await OutsideEditTests.found("good", client) == 1)
        }
    }

    @Test("Changed rows of other tables are not cached: the badge counts the rows in the file")
    func notices() async throws {
        try await DeliveryTests.run { scene async throws in
            _ = try await scene.client.create(as: "ana", title: "Here")
            try await scene.enter()
            func unread() async throws -> Int? {
                try await scene.client.get("/v1/notifications/badge", as: "ben").json["unread"]?.integer
            }
            try await scene.fixture.library.outsideEdits.adopt()
            #expect(try await unread() == 1)
            let other = try OutsideEditTests.other(scene.fixture)
            try await other.write { try $0.execute(sql: "DELETE FROM notices WHERE user = 'ben'") }
            try await scene.fixture.library.outsideEdits.adopt()
            #expect(try await unread() == 0)
        }
    }
}
