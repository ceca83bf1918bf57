import App
import Library
import Foundation
import GRDB
import Formats
import Geometry
import HTTPTypes
import Storage
import Stories
import Testing
import TestSupport

@Suite("Deleted stories")
struct RetentionTests {
    /// Everything a story can hold, with texts that occur nowhere else.
    private static let full = """
        {"kind":"interview","title":"Zanzibarqueue","text":"Quagmirevexed prose, %,","date":"1936/1941","tags":["tagjuxta"],
        "people":["Ida Vexqueen"],"mentions":["Mentionqux"],"collection":"collecqua","media_url":"/mediaqua",
        "thumbnail_url":"/thumbqua","alt":"altqua","client_id":"clientqua","privacy":"family_only",
        "location":{"lat":33.123456789,"lon":-84.987654321,"source":"gps","accuracy":12.5,"precision":"approximate",
        "cell":0.1,"family_sees_exact":true,"name":"Placequa","address":"Addressqua","city":"Cityqua"}}
        """

    /// The row of a story, the geometry as bytes, without its number and the stamps of what clients have to be told.
    private func row(_ id: String, in library: StoryLibrary) throws -> [String: DatabaseValue] {
        try library.store.inspect { db in
            let row = try #require(try Row.fetchOne(db, sql: "SELECT * FROM stories WHERE id = ?", arguments: [id]))
            // When it came into its layer, and when it last changed for whom, is now.
            return Dictionary(uniqueKeysWithValues: row.map { ($0, $1) })
                .filter { $0.key != "fid" && !$0.key.hasSuffix("_stamp") }
        }
    }

    @Test("PRV-07 Deleted content is gone from every view immediately, its owner's too, and is restored exactly")
    func deleteAndRestore() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture.run { client async throws in
            let id = try await client.create(as: "ana", title: "Wheat harvest")
            let surfaces = Surfaces(client: client, id: id, word: "harvest")
            let before = try await client.get("/v1/stories/\(id)", as: "ana")
            fixture.clock.advance(seconds: 60)
            #expect(try await client.send(.delete, "/v1/stories/\(id)", as: "ana").status == 204)
            try await surfaces.expect([], "deleted")
            let key = try #require(StoryID(id))
            #expect(try await fixture.library.rights.retention.restore(key))
            try await surfaces.expect(["ana", "ben", "cora", nil], "restored")
            #expect(try await client.get("/v1/stories/\(id)", as: "ana").bytes == before.bytes)
            #expect(try await fixture.library.rights.retention.restore(key) == false)
        }
    }

    @Test("PRV-07 A deleted story leaves no byte in the database, and its row is restored column by column")
    func sealed() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture.run { client async throws in
            // So many of others that the deleted row lies among them in its pages.
            for number in 0..<30 { _ = try await client.create(as: "ben", title: "Other \(number)") }
            let body = RetentionTests.full.replacing("%", with: String(repeating: "longqua ", count: 2_003))
            let reply = try await client.send(.post, "/v1/stories", as: "ana", body.replacing("\n", with: ""))
            let id = try #require(reply.json["id"]?.string)
            try fixture.library.store.inspect { db in
                try db.execute(
                    sql: """
                        UPDATE stories SET source = 'sourcequa', source_id = '7', import_digest = x'0102ff',
                        import_place = 'placetextqua', location_epoch = 3, anchor_lat = 33.15, anchor_lon = -84.95
                        WHERE id = ?
                        """,
                    arguments: [id]
                )
            }
            let needles = [
                "Zanzibarqueue", "zanzibarqueue", "Quagmirevexed", "longqua", "tagjuxta", "Vexqueen", "Mentionqux",
                "collecqua", "mediaqua", "thumbqua", "altqua", "clientqua", "Placequa", "Addressqua", "Cityqua",
                "sourcequa", "placetextqua",
            ]
            let places: [Double] = [33.123456789, -84.987654321]
            let before = try row(id, in: fixture.library)
            try await fixture.library.store.foldLogAfterRemovals()
            try fixture.library.store.inspect { _ = try $0.checkpoint(.truncate) }
            let missing = Set(needles + places.map { "\($0)" }).subtracting(try fixture.found(needles, places))
            // Where a page ends, one that lies across is not found in one piece.
            #expect(missing.count <= 2, "\(missing)")
            #expect(try await client.send(.delete, "/v1/stories/\(id)", as: "ana").status == 204)
            try await fixture.library.store.foldLogAfterRemovals()
            #expect(try fixture.found(needles, places) == [])
            let key = try #require(StoryID(id))
            #expect(try await fixture.library.rights.retention.restore(key))
            #expect(try row(id, in: fixture.library) == before)
            #expect(try await fixture.library.store.read { try $0.isDeletedImport(key) } == false)
        }
    }

    @Test("PRV-07 NTF-05 A deleted story also leaves other feeds; other announcements stay, and once")
    func feeds() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            let settings = "{\"enabled\":true,\"preview\":\"full\"}"
            var ids: [String] = []
            for (title, latitude) in [("Alonequa", 40.25), ("Vexedqua", 33.7554), ("Keptqua", 33.7554)] {
                let place = ",\"location\":{\"lat\":\(latitude),\"lon\":-84.3736,\"name\":\"Place\(title)\"}"
                ids.append(try await client.create(as: "ana", title: title, latitude: nil, extra: place))
            }
            _ = try await client.send(.put, "/v1/me/notification-settings", as: "ben", settings)
            func visit(_ latitude: Double) async throws {
                let time = RFC3339.format(fixture.clock.now)
                let fix = "{\"t\":\"\(time)\",\"lat\":\(latitude),\"lon\":-84.3736,\"acc\":5}"
                _ = try await client.send(.post, "/v1/fixes", as: "ben", "{\"device\":\"p\",\"fixes\":[\(fix)]}")
                fixture.clock.advance(seconds: 40)
                _ = try await fixture.library.fences.fireTimers()
                fixture.clock.advance(seconds: 86_400)
                _ = try await fixture.library.fences.fireTimers()
            }
            for latitude in [40.25, 33.7554] { try await visit(latitude) }
            try await fixture.library.store.foldLogAfterRemovals()
            try fixture.library.store.inspect { _ = try $0.checkpoint(.truncate) }
            let needles = ["Alonequa", "Vexedqua", "PlaceAlonequa", "PlaceVexedqua"]
            #expect(try fixture.found(needles, [40.25]).count == 5)
            for id in ids.prefix(2) { _ = try await client.send(.delete, "/v1/stories/\(id)", as: "ana") }
            try await fixture.library.store.foldLogAfterRemovals()
            #expect(try fixture.found(needles, [40.25]) == [])
            func feed() async throws -> [[String]] {
                let reply = try await client.get("/v1/notifications", as: "ben").json
                return (reply["notifications"]?.array ?? [])
                    .map { $0["content_ids"]?.array?.compactMap(\.string) ?? [] }
            }
            #expect(try await feed() == [[ids[2]]])
            for id in ids.prefix(2) {
                let key = try #require(StoryID(id))
                #expect(try await fixture.library.rights.retention.restore(key))
            }
            for latitude in [40.25, 33.7554] { try await visit(latitude) }
            #expect(try await feed() == [[ids[2]]])
        }
    }

    @Test(
        "PRV-07 NTF-05 Deleting or erasing a story keeps hidden ones in feeds: they may be shown again",
        arguments: [false, true],
        ["{\"privacy\":\"private\"}", "{\"location\":{\"precision\":\"hidden\"}}"]
    )
    func feedsKeepTheRest(isErased: Bool, change: String) async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture.run { client async throws in
            let place = ",\"location\":{\"lat\":40.25,\"lon\":-84.3736,\"name\":\"Goneplacequa\"}"
            let gone = try await client.create(as: "cora", title: "Gonequa", latitude: nil, extra: place)
            let kept = try await client.create(as: "ana", title: "Keptqua", latitude: 40.2501)
            let settings = "{\"enabled\":true,\"preview\":\"full\"}"
            _ = try await client.send(.put, "/v1/me/notification-settings", as: "ben", settings)
            for _ in 0..<5 {
                fixture.clock.advance(seconds: 6)
                let time = RFC3339.format(fixture.clock.now)
                let fix = "{\"t\":\"\(time)\",\"lat\":40.25005,\"lon\":-84.3736,\"acc\":8}"
                _ = try await client.send(.post, "/v1/fixes", as: "ben", "{\"device\":\"p\",\"fixes\":[\(fix)]}")
            }
            // The device's last place is forgotten after a day.
            fixture.clock.advance(seconds: 90_000)
            _ = try await fixture.library.fences.fireTimers()
            func feed() async throws -> [JSONValue] {
                try await client.get("/v1/notifications?type=story.nearby", as: "ben").json["notifications"]?.array
                    ?? []
            }
            #expect(try await feed().first?["content_ids"]?.array?.count == 2)
            let path = "/v1/stories/\(kept)"
            #expect(try await client.send(.patch, path, as: "ana", change).status == 200)
            _ = try await client.send(.delete, isErased ? "/v1/me" : "/v1/stories/\(gone)", as: "cora")
            #expect(try await feed().isEmpty)
            try await fixture.library.store.foldLogAfterRemovals()
            let left = try fixture.found(["Gonequa", "Goneplacequa"], [40.25])
            #expect(left == [])
            let back = "{\"privacy\":\"public\",\"location\":{\"precision\":\"exact\"}}"
            #expect(try await client.send(.patch, path, as: "ana", back).status == 200)
            let shown = try await feed()
            #expect(shown.map { $0["content_ids"]?.array?.compactMap(\.string) } == [[kept]])
            let words = shown.first.map { "\($0["title"]?.string ?? "") \($0["body"]?.string ?? "")" } ?? ""
            #expect(words.contains("Keptqua") && !words.contains("Gone"))
        }
    }

    @Test("PRV-07 The key is outside the database: without it, or for another story, nothing is restored")
    func otherKey() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            let ids = [
                try await client.create(as: "ana", title: "One"), try await client.create(as: "ana", title: "Two"),
            ]
            for id in ids { _ = try await client.send(.delete, "/v1/stories/\(id)", as: "ana") }
            let keys = try ids.map { try #require(StoryID($0)) }
            let first = try #require(try await fixture.library.store.read { try $0.sealedStory(keys[0]) })
            // The blob of one story given out as another's.
            try await fixture.library.store.write { transaction in
                let second = SealedStory(
                    id: keys[1],
                    owner: first.owner,
                    deletedAt: first.deletedAt,
                    blob: first.blob
                )
                try transaction.save(second)
            }
            await #expect(throws: StoreError.self) { try await fixture.library.rights.retention.restore(keys[1]) }
            var blob = first.blob
            blob[20] ^= 1
            let changed = SealedStory(id: keys[0], owner: first.owner, deletedAt: first.deletedAt, blob: blob)
            try await fixture.library.store.write { try $0.save(changed) }
            await #expect(throws: StoreError.self) { try await fixture.library.rights.retention.restore(keys[0]) }
            #expect(try await client.get("/v1/stories").json["numberMatched"]?.integer == 0)
        }
    }

    @Test("PRV-07 Deleted stories are kept exactly for the retention period; their reports and hides keep only ids")
    func purge() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            let id = try await client.create(as: "ana", title: "One")
            _ = try await client.send(.put, "/v1/stories/\(id)/hide", as: "ben")
            _ = try await client.send(.post, "/v1/stories/\(id)/report", as: "ben", "{\"reason\":\"spam\"}")
            _ = try await client.send(.delete, "/v1/stories/\(id)", as: "ana")
            fixture.clock.advance(seconds: 86_400 * 10 - 1)
            #expect(try await fixture.library.rights.retention.purge(olderThanDays: 10) == 0)
            fixture.clock.advance(seconds: 1)
            #expect(try await fixture.library.rights.retention.purge(olderThanDays: 10) == 1)
            let key = try #require(StoryID(id))
            #expect(try await fixture.library.rights.retention.restore(key) == false)
            let ben = try #require(UserID("ben"))
            #expect(try await fixture.library.store.read { try $0.hiddenStories(of: ben) } == [])
            let left = try await fixture.library.store.read { transaction in
                try transaction.reportEntries(statuses: [], after: nil, limit: 9)
            }
            #expect(left.count == 1 && left.first?.owner == nil)
        }
    }

    @Test("PRV-07 An owner's retention can end immediately, and many stories are purged in small steps")
    func purgeOfOwner() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            for user in ["ana", "ana", "ben"] {
                let id = try await client.create(as: user, title: "x")
                _ = try await client.send(.delete, "/v1/stories/\(id)", as: user)
            }
            let ana = try #require(UserID("ana"))
            #expect(try await fixture.library.store.write { try $0.purgeSealed(of: ana, limit: 500) } == 2)
            let now = fixture.clock.now
            try await fixture.library.store.write { transaction in
                for number in 0..<1_100 {
                    let id = StoryID(high: 1, low: UInt64(number))
                    try transaction.save(SealedStory(id: id, owner: ana, deletedAt: now, blob: [1]))
                }
            }
            #expect(try await fixture.library.rights.retention.purge(olderThanDays: 0) == 1_101)
        }
    }

    @Test("PRV-04 PRV-07 A story restored for a family its owner has left becomes private")
    func restoredWithoutFamily() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture.run { client async throws in
            let extra = ",\"privacy\":\"family_only\",\"family\":\"whitfield\""
            let id = try await client.create(as: "ana", title: "x", extra: extra)
            _ = try await client.send(.delete, "/v1/stories/\(id)", as: "ana")
            try fixture.library.store.inspect { try $0.execute(sql: "DELETE FROM memberships WHERE user = 'ana'") }
            let key = try #require(StoryID(id))
            #expect(try await fixture.library.rights.retention.restore(key))
            #expect(try await client.get("/v1/stories/\(id)", as: "ben").status == 404)
            let mine = try await client.get("/v1/stories/\(id)", as: "ana").json
            #expect(mine["privacy"]?.string == "private" && mine["family"]?.isNull == true)
        }
    }

    @Test("PRV-04 LOC-08 A story restored without its family does not reveal its exact point to another")
    func restoredWithoutTrust() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture.run { client async throws in
            let family = try await client.makeFamily(of: "ana", "Former")
            let place = "{\"lat\":33.7554,\"lon\":-84.3736,\"precision\":\"hidden\",\"family_sees_exact\":true}"
            let extra = ",\"family\":\"\(family)\",\"location\":\(place)"
            let id = try await client.create(as: "ana", title: "x", latitude: nil, extra: extra)
            #expect(try await client.get("/v1/stories/\(id)", as: "ben").json["location"]?.isNull == true)
            _ = try await client.send(.delete, "/v1/stories/\(id)", as: "ana")
            #expect(try await client.send(.delete, "/v1/families/\(family)", as: "ana").status == 204)
            let key = try #require(StoryID(id))
            #expect(try await fixture.library.rights.retention.restore(key))
            let story = try await client.get("/v1/stories/\(id)", as: "ben").json
            #expect(story["privacy"]?.string == "public" && story["location"]?.isNull == true)
            let own = try await client.get("/v1/stories/\(id)", as: "ana").json["location"]
            #expect(own?["lat"]?.number == 33.7554 && own?["family_sees_exact"]?.bool == false)
        }
    }

    @Test(
        "PRV-06 PRV-07 A report decided after the deletion applies when the story is restored",
        arguments: [true, false]
    )
    func restoredWithReport(isActioned: Bool) async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            let id = try await client.create(as: "ana", title: "x")
            let reply = try await client.send(.post, "/v1/stories/\(id)/report", as: "ben", "{\"reason\":\"spam\"}")
            let report = try #require(reply.json["tracking_id"]?.string.flatMap { StoryID($0) })
            if !isActioned {
                _ = try await fixture.library.moderation.reports.setStatus(.actioned, note: nil, of: report)
            }
            _ = try await client.send(.delete, "/v1/stories/\(id)", as: "ana")
            _ = try await fixture.library.moderation.reports.setStatus(
                isActioned ? .actioned : .dismissed,
                note: nil,
                of: report
            )
            let key = try #require(StoryID(id))
            #expect(try await fixture.library.rights.retention.restore(key))
            #expect(try await client.get("/v1/stories/\(id)", as: "ben").status == (isActioned ? 404 : 200))
        }
    }
}

extension ServiceFixture {
    /// Which of these texts, and of these numbers as SQLite and SpatiaLite store them, occur in the database file or its log.
    func found(_ texts: [String], _ numbers: [Double] = []) throws -> [String] {
        let path = library.store.path
        let files = try [path, path + "-wal"].map { try Data(contentsOf: URL(filePath: $0)) }
        let needles =
            texts.map { ($0, [Data($0.utf8)]) }
            + numbers.map { number in
                let bits = number.bitPattern
                // The boxes of the R*Tree are rounded outwards to 32-bit floats.
                let float = Float(number)
                let boxes = [float.nextDown, float, float.nextUp]
                    .map { edge in
                        withUnsafeBytes(of: edge.bitPattern.bigEndian) { Data($0) }
                    }
                let exact = [bits.bigEndian, bits.littleEndian]
                    .map { value in
                        withUnsafeBytes(of: value) { Data($0) }
                    }
                return ("\(number)", exact + boxes)
            }
        return
            needles.filter { needle in
                files.contains { file in needle.1.contains { file.range(of: $0) != nil } }
            }
            .map(\.0)
    }
}
