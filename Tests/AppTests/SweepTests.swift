import App
import Library
import Formats
import Foundation
import GRDB
import Geometry
import HTTPTypes
import Storage
import Stories
import Synchronization
import TestSupport
import Testing

@Suite("Overwriting erased content")
struct SweepTests {
    private static let users = ["ana", "ben", "cora"]

    /// How often the log was emptied.
    private static func sweeps(_ fixture: ServiceFixture) -> Int {
        fixture.library.store.meter.longest(.emptying).count
    }

    private static func optIn(_ user: String, _ client: Client) async throws {
        let reply = try await client.send(.put, "/v1/me/notification-settings", as: user, "{\"enabled\":true}")
        #expect(reply.status == 200)
    }

    @Test("NTF-09 A repeated erasure of location data costs nothing if none can exist, and each receipt is true")
    func repeated() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture.run { client async throws in
            // More than once, while a reader has the log.
            func erase(_ user: String, sweeps: Bool) async throws {
                fixture.clock.advance(seconds: 1)
                let before = SweepTests.sweeps(fixture)
                let receipt = try await client.send(.delete, "/v1/me/location-data", as: user).json
                #expect(receipt["overwritten"]?.bool == true)
                #expect((SweepTests.sweeps(fixture) > before) == sweeps, "\(user)")
            }
            // Who never agreed has nothing there.
            try await erase("cora", sweeps: false)
            try await SweepTests.optIn("ana", client)
            try await erase("ana", sweeps: true)
            for _ in 0..<3 { try await erase("ana", sweeps: false) }
            // Agreed to and withdrawn since: something may have been there and gone.
            try await SweepTests.optIn("ana", client)
            try await fixture.library.rights.settings.withdrawConsents(of: try #require(UserID("ana")), source: .app)
            try await erase("ana", sweeps: true)
            try await erase("ana", sweeps: false)
        }
    }

    @Test("NTF-09 Simultaneous erasures are overwritten together, and each is notified when done")
    func together() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture.run { client async throws in
            for user in SweepTests.users { try await SweepTests.optIn(user, client) }
        }
        let (store, library) = (fixture.library.store, fixture.library)
        let gate = Gate()
        let isHeld = Flag()
        let receipts = try await withThrowingTaskGroup(of: ErasureReceipt?.self) { group in
            group.addTask {
                try await store.write { _ in
                    isHeld.set()
                    gate.wait()
                }
                return nil
            }
            while !isHeld.isSet { await Task.yield() }
            for user in SweepTests.users.compactMap({ UserID($0) }) {
                group.addTask { try await library.rights.erasures.eraseLocationData(of: user) }
            }
            while store.waitingWrites < SweepTests.users.count { await Task.yield() }
            gate.open()
            return try await group.reduce(into: []) { $0 += [$1].compactMap(\.self) }
        }
        #expect(receipts.count == 3 && receipts.allSatisfy(\.isOverwritten))
        #expect(try await store.read { try $0.hasUnsweptErasures() } == false)
    }

    @Test("NTF-09 A reader keeping the log delays no one; the receipt says what is pending")
    func reader() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture.run { client async throws in
            try await SweepTests.optIn("ana", client)
            // As another program does that looks at the file.
            let other = try DatabaseQueue(path: fixture.library.store.path, configuration: .looking)
            try await other.writeWithoutTransaction { db in
                try db.beginTransaction(.deferred)
                _ = try Int.fetchOne(db, sql: "SELECT count(*) FROM users")
            }
            let receipt = try await client.send(.delete, "/v1/me/location-data", as: "ana").json
            #expect(receipt["overwritten"]?.bool == false)
            var quickest = Duration.seconds(3_600)
            for _ in 0..<3 {
                let begun = ContinuousClock.now
                try await ErasureUpkeep(library: fixture.library, logger: fixture.logger).keepUp()
                quickest = min(quickest, ContinuousClock.now - begun)
            }
            #expect(try await fixture.library.store.read { try $0.hasUnsweptErasures() })
            // Waiting for the reader, as SQLite does when it may, took five seconds each time. A busy machine may delay
            // one of the three.
            #expect(quickest < .seconds(4))
            try other.close()
            try await ErasureUpkeep(library: fixture.library, logger: fixture.logger).keepUp()
            #expect(try await fixture.library.store.read { try $0.hasUnsweptErasures() } == false)
            // One page at most: that it was done.
            #expect(fixture.contents(ofFileEnding: "-wal").count < 5_000)
        }
    }

    @Test("NTF-09 REL-02 Erasing one person among many holds the writer by the amount erased, not the file size")
    func pieces() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        let (library, store) = (fixture.library, fixture.library.store)
        let now = fixture.clock.now
        let (ana, others) = (try #require(UserID("ana")), try ["ben", "cora"].map { try #require(UserID($0)) })
        for part in 0..<40 {
            try await store.write { transaction in
                var generator = SplitMix64(seed: UInt64(part))
                for number in 0..<500 {
                    let owner = number == 250 ? ana : others[number % 2]
                    let word = owner == ana ? "Quillfeather " : "another "
                    var story = Story(
                        id: StoryID(using: &generator),
                        kind: .photo,
                        title: word,
                        owner: owner,
                        createdAt: now
                    )
                    story.text = String(repeating: word, count: [1, 9, 40][number % 3])
                    let point = Coordinate(
                        latitude: owner == ana ? 48.858372 : Double.random(in: -80...80, using: &generator),
                        longitude: owner == ana ? 2.294481 : Double.random(in: -170...170, using: &generator)
                    )
                    story.location = StoryLocation(coordinate: try #require(point))
                    try transaction.insert(story)
                }
            }
        }
        let pages = store.size / 4_096
        #expect(pages > 3_000)
        // The step that follows the last write comes after its answer.
        try store.inspect { _ in }
        store.meter.reset()
        let receipt = try await library.rights.erasures.eraseAccount(of: ana)
        #expect(receipt?.isOverwritten == true)
        let search = ByteSearch(texts: ["Quillfeather", "quillfeather"], degrees: [48.858372, 2.294481])
        let left = try search.findings(in: fixture.folder.url)
        #expect(left == [])
        for work in WriterWork.allCases {
            let hold = store.meter.longest(work)
            // By what is erased, 40 stories in a table with its indexes; the file written anew was one hold of all pages.
            #expect(hold.pages < 40 * 20, "\(work): \(hold), of \(pages)")
            // Pages are what counts; this only says that no hold lasts, on a busy machine too.
            #expect(hold.time < .seconds(20), "\(work): \(hold)")
        }
        // As long as it does nothing but move the log, a step is small whatever was erased.
        #expect(store.meter.longest(.emptying).pages < 50)
        // After somebody with stories everywhere each node of the index has something behind its last cell.
        let dirty = try store.inspect { db in
            try db.execute(sql: "UPDATE applied_erasures SET swept = 0")
            return try SweepTests.soilNodes(db)
        }
        #expect(dirty > 300)
        store.meter.reset()
        #expect(try await store.sweep())
        let wiping = store.meter.longest(.commit)
        // Three nodes a page, 32 at a time.
        #expect(wiping.count > 10 && wiping.pages < 40, "\(wiping)")
    }
}

extension SweepTests {
    /// Puts a byte behind the last cell of each node of the spatial index that has room there; returns how many have.
    private static func soilNodes(_ db: Database) throws -> Int {
        var count = 0
        for row in try Row.fetchAll(db, sql: "SELECT nodeno, data FROM idx_stories_geom_node") {
            var bytes = [UInt8](row["data"] as Data)
            // Two bytes of depth, two of the number of cells, then cells of 24 bytes.
            guard 4 + 24 * (Int(bytes[2]) << 8 | Int(bytes[3])) < bytes.count else { continue }
            bytes[bytes.count - 1] = 1
            try db.execute(
                sql: "UPDATE idx_stories_geom_node SET data = ? WHERE nodeno = ?",
                arguments: [Data(bytes), row["nodeno"] as Int64]
            )
            count += 1
        }
        return count
    }
}

extension Configuration {
    /// For a reader of the file beside the service.
    fileprivate static var looking: Configuration {
        var configuration = Configuration()
        configuration.readonly = true
        configuration.allowsUnsafeTransactions = true
        return configuration
    }
}

/// Is set once, seen by all.
final class Flag: Sendable {
    private let value = Mutex(false)

    /// Whether it is set.
    var isSet: Bool { value.withLock { $0 } }

    /// Sets it.
    func set() { value.withLock { $0 = true } }
}

/// Holds a thread until it is opened.
private final class Gate: Sendable {
    private let condition = NSCondition()
    private let isOpen = Flag()

    func open() {
        condition.withLock { isOpen.set() }
        condition.broadcast()
    }

    func wait() {
        condition.withLock { while !isOpen.isSet { condition.wait() } }
    }
}
