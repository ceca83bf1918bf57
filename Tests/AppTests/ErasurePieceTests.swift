import App
import Library
import Formats
import Foundation
import GRDB
import Geometry
import HTTPTypes
import Storage
import Stories
import TestSupport
import Testing

@Suite("Erasing in pieces")
struct ErasurePieceTests {
    private static let point = (latitude: 48.858372, longitude: 2.294481)
    private static let search = ByteSearch(
        texts: ["Quillfeather", "quillfeather"],
        degrees: [point.latitude, point.longitude]
    )

    /// Lets so many commits succeed and then none, as a disk does that becomes full, until it has room again.
    private final class LimitedDisk: TransactionObserver, @unchecked Sendable {
        var left = Int.max

        func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { false }
        func databaseDidChange(with event: DatabaseEvent) {}
        func databaseDidCommit(_ db: Database) {}
        func databaseDidRollback(_ db: Database) {}
        func databaseWillCommit() throws {
            guard left > 0 else { throw DatabaseError(resultCode: .SQLITE_FULL) }
            left -= 1
        }
    }

    /// Gives ana so many stories: some public, some for her family, some with a deleted past.
    private static func fill(_ fixture: ServiceFixture, stories: Int) async throws {
        try await fixture.makeFamilies()
        let (ana, now) = (try #require(UserID("ana")), fixture.clock.now)
        let family = try #require(FamilyID("whitfield"))
        try await fixture.library.store.write {
            try $0.save(User(id: ana, name: "Ana Quillfeather", email: nil), at: now)
        }
        for start in stride(from: 0, to: stories, by: 100) {
            try await fixture.library.store.write { transaction in
                var generator = SplitMix64(seed: UInt64(start) + 1)
                for number in start..<min(start + 100, stories) {
                    var story = Story(
                        id: StoryID(using: &generator),
                        kind: .photo,
                        title: "Quillfeather \(number)",
                        owner: ana,
                        createdAt: now
                    )
                    story.text = String(repeating: "told by Quillfeather, ", count: 20)
                    story.privacy = [.public, .familyOnly, .familyOnly][number % 3]
                    if number % 3 == 2 { story.family = family }
                    story.location = StoryLocation(
                        coordinate: try #require(Coordinate(latitude: point.latitude, longitude: point.longitude))
                    )
                    try fixture.library.feed.insert(story, in: transaction)
                }
            }
        }
    }

    /// Gives ana so many rows of each kind that an erasure has to remove.
    private static func addRows(_ fixture: ServiceFixture, count: Int) throws {
        // Not so old that it is forgotten anyway.
        let stamp = fixture.clock.now.milliseconds * 1_000_000
        try fixture.library.store.inspect { db in
            func add(_ table: String, _ values: String) throws {
                try db.execute(
                    sql: """
                        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
                        INSERT INTO \(table) SELECT \(values) FROM n
                        """
                )
            }
            try add("ledger (user, key)", "'ana', randomblob(16)")
            try add(
                "fixes (user, id, device, time_ms, received_ms, lat, lon, outcome, explanation)",
                "'ana', printf('%032d', i), 'd', i, i, 48.858372, 2.294481, 'kept', ''"
            )
            try add("accesses (owner, day, story, reader)", "'ana', i, printf('%032d', i), 'ben'")
            try add("accesses (owner, day, story, reader)", "'cora', i, printf('%032d', i), 'ana'")
            try add("viewed_stories (user, story, at_ms)", "'ana', printf('%032d', i), i")
            try add(
                "past_audiences (layer, until_stamp, story, owner, from_stamp)",
                "'kin:ana', \(stamp) - i, printf('%032d', i), 'ana', \(stamp) - 20000 - i"
            )
            try add("deleted_stories (story, owner)", "printf('%032d', i), 'ana'")
            try add(
                "sealed_stories (story, owner, deleted_ms, blob)",
                "printf('%032d', i), 'ana', i, randomblob(300)"
            )
        }
    }

    /// What somebody asks for that has to do with as much as there is.
    enum Wish: String, CaseIterable {
        case account, locationData
    }

    @Test(
        "REL-02 NTF-09 The longest hold of the writer does not depend on how much an erasure removes",
        arguments: Wish.allCases
    )
    func holds(wish: Wish) async throws {
        var holds: [WriterHold] = []
        for size in [600, 2_400] {
            let fixture = try await ServiceFixture()
            try await ErasurePieceTests.fill(fixture, stories: wish == .account ? size : 10)
            try ErasurePieceTests.addRows(fixture, count: size)
            let ana = try #require(UserID("ana"))
            let store = fixture.library.store
            store.meter.reset()
            switch wish {
            case .account: #expect(try await fixture.library.rights.erasures.eraseAccount(of: ana) != nil)
            case .locationData:
                let receipt = try await fixture.library.rights.erasures.eraseLocationData(of: ana)
                #expect(receipt.counts.first { $0.name == "fixes" }?.count == size)
            }
            holds.append(store.meter.longest(.commit))
            let left = try store.inspect { db in
                try Int.fetchOne(db, sql: "SELECT count(*) FROM fixes") ?? -1
                    + (try Int.fetchOne(db, sql: "SELECT count(*) FROM unfinished_erasures") ?? -1)
            }
            #expect(left == 0)
        }
        let (few, many) = (holds[0], holds[1])
        #expect(few.pages > 10 && few.steps > 1_000)
        // Four times as much. In larger trees fewer rows of a piece share a page, up to a page each.
        #expect(many.pages < few.pages * 2, "\(few), then \(many)")
        #expect(many.steps < few.steps * 3 / 2, "\(few), then \(many)")
    }

    @Test("NTF-09 From the first piece on the account is invisible, and an interrupted erasure continues")
    func interrupted() async throws {
        let fixture = try await ServiceFixture()
        try await ErasurePieceTests.fill(fixture, stories: 150)
        let (library, store) = (fixture.library, fixture.library.store)
        let ana = try #require(UserID("ana"))
        let disk = LimitedDisk()
        try store.inspect { $0.add(transactionObserver: disk) }
        try await fixture.run { client async throws in
            let one = try #require(try await client.get("/v1/stories?owner=ana", as: "ben").json["features"]?[0])
            let path = "/v1/stories/\(try #require(one["id"]?.string))"
            #expect(try await client.get(path, as: "ben").status == 200)
            var copies = (0..<3).map { _ in SyncedCopy(user: "ben") }
            for index in copies.indices { try await copies[index].sync(client, limit: 40) }
            #expect(copies[0].stories.count == 150)
            let old = try await fixture.accounts.issueToken(for: ana, seconds: 86_400)
            fixture.clock.advance(seconds: 5)

            try store.inspect { _ in disk.left = 1 }
            let failure = await #expect(throws: StoreError.self) {
                try await library.rights.erasures.eraseAccount(of: ana)
            }
            #expect(failure?.code == .diskFull)
            // All of it is stored and none of it is shown.
            #expect(try store.inspect { try Int.fetchOne($0, sql: "SELECT count(*) FROM stories") } == 150)
            for viewer in ["ben", "cora", nil] {
                for list in ["/v1/stories?owner=ana", "/v1/stories?q=quillfeather", "/v1/stories"] {
                    let reply = try await client.get(list, as: viewer)
                    #expect(reply.json["numberMatched"]?.integer == 0, "\(list)")
                }
                #expect(try await client.get(path, as: viewer).status == 404)
                let clusters = try await client.get("/v1/clusters?bbox=-180,-85,180,85&zoom=3", as: viewer)
                #expect(try ErasurePieceTests.search.findings(in: Data(clusters.bytes)) == [])
                #expect(clusters.json["total"]?.integer ?? 0 == 0)
            }
            let headers: HTTPFields = [.authorization: "Bearer " + old]
            #expect(try await client.send(.get, "/v1/stories", headers: headers).status == 401)
            let family = try await client.get("/v1/families/whitfield", as: "ben")
            #expect(family.status == 200 && !String(decoding: family.bytes, as: UTF8.self).contains("Quillfeather"))
            // Whoever syncs in between learns that all of their kin's stories are gone, and nothing twice too little.
            try await copies[1].sync(client, limit: 40)
            try store.inspect { _ in disk.left = 2 }
            await #expect(throws: StoreError.self) {
                try await ErasureUpkeep(library: library, logger: fixture.logger).keepUp()
            }
            let left = try store.inspect { try Int.fetchOne($0, sql: "SELECT count(*) FROM stories") ?? 0 }
            #expect(left > 0 && left < 150)
            try await copies[2].sync(client, limit: 40)
            try store.inspect { _ in disk.left = .max }
            try await ErasureUpkeep(library: library, logger: fixture.logger).keepUp()
            fixture.clock.advance(seconds: 5)
            for index in copies.indices {
                try await copies[index].sync(client, limit: 40)
                #expect(copies[index].stories.isEmpty, "copy \(index)")
            }
        }
        #expect(try ErasurePieceTests.search.findings(in: fixture.folder.url) == [])
        #expect(try await store.read { try $0.unfinishedErasures() } == [])
        #expect(try await store.read { try $0.user(ana) } == nil)
    }

    @Test("NTF-09 REL-02 An erasure interrupted by a crash is finished before anything is served again")
    func crash() async throws {
        let fixture = try await ServiceFixture()
        try await ErasurePieceTests.fill(fixture, stories: 150)
        let ana = try #require(UserID("ana"))
        let disk = LimitedDisk()
        try fixture.library.store.inspect { db in
            db.add(transactionObserver: disk)
            disk.left = 3
        }
        fixture.clock.advance(seconds: 5)
        await #expect(throws: StoreError.self) { try await fixture.library.rights.erasures.eraseAccount(of: ana) }
        // What is acknowledged meanwhile stays.
        try fixture.library.store.inspect { _ in disk.left = .max }
        let (ben, now) = (try #require(UserID("ben")), fixture.clock.now)
        try await fixture.library.store.write { try $0.save(User(id: ben, name: "Benedict"), at: now) }
        try fixture.library.store.close()
        #expect(try ErasurePieceTests.search.findings(in: fixture.folder.url) != [])
        let next = try await ServiceFixture(of: fixture)
        #expect(try ErasurePieceTests.search.findings(in: fixture.folder.url) == [])
        #expect(try await next.library.store.read { try $0.user(ana) } == nil)
        #expect(try await next.library.store.read { try $0.user(ben)?.name } == "Benedict")
        #expect(try await next.library.store.read { try $0.unfinishedErasures() } == [])
    }

    @Test("NTF-09 No one can write for an account being erased; afterwards the name is free")
    func writing() async throws {
        let fixture = try await ServiceFixture()
        try await ErasurePieceTests.fill(fixture, stories: 60)
        let (library, store, ana) = (fixture.library, fixture.library.store, try #require(UserID("ana")))
        let disk = LimitedDisk()
        try store.inspect { db in
            db.add(transactionObserver: disk)
            disk.left = 1
        }
        await #expect(throws: StoreError.self) { try await library.rights.erasures.eraseAccount(of: ana) }
        try store.inspect { _ in disk.left = .max }
        fixture.clock.advance(seconds: 5)
        try await fixture.run { client async throws in
            let body = "{\"kind\":\"photo\",\"title\":\"New\"}"
            let early = try await client.send(.post, "/v1/stories", as: "ana", body)
            #expect(early.status == 409 && early.json["type"]?.string == "/problems/being-erased")
            // A token of somebody of that name shows nothing of what is still stored.
            #expect(try store.inspect { try Int.fetchOne($0, sql: "SELECT count(*) FROM stories") } == 60)
            #expect(try await client.get("/v1/stories?view=mine", as: "ana").json["numberMatched"]?.integer == 0)
            try await ErasureUpkeep(library: library, logger: fixture.logger).keepUp()
            #expect(try await client.send(.post, "/v1/stories", as: "ana", body).status == 201)
            #expect(try await client.get("/v1/stories?view=mine", as: "ana").json["numberMatched"]?.integer == 1)
        }
    }
}
