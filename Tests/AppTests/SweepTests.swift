import App
import Formats
import Foundation
import GRDB
import HTTPTypes
import Storage
import Stories
import Synchronization
import TestSupport
import Testing

@Suite("Overwriting what was erased")
struct SweepTests {
    private static let users = ["ana", "ben", "cora"]

    /// How often the file was written anew: each time counts up the schema's version.
    private static func writes(_ fixture: ServiceFixture) throws -> Int {
        try fixture.library.store.inspect { try Int.fetchOne($0, sql: "PRAGMA schema_version") ?? 0 }
    }

    private static func optIn(_ user: String, _ client: Client) async throws {
        let reply = try await client.send(.put, "/v1/me/notification-settings", as: user, "{\"enabled\":true}")
        #expect(reply.status == 200)
    }

    @Test("NTF-09 Location data erased again costs nothing while there cannot be any; each receipt is true")
    func repeated() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture.run { client async throws in
            let start = try SweepTests.writes(fixture)
            func erase(_ user: String, writes: Int) async throws {
                fixture.clock.advance(seconds: 1)
                let receipt = try await client.send(.delete, "/v1/me/location-data", as: user).json
                #expect(receipt["overwritten"]?.bool == true)
                #expect(try SweepTests.writes(fixture) - start == writes, "\(user)")
            }
            // Who never agreed has nothing there.
            try await erase("cora", writes: 0)
            try await SweepTests.optIn("ana", client)
            try await erase("ana", writes: 1)
            for _ in 0..<3 { try await erase("ana", writes: 1) }
            // Agreed to and withdrawn since: something may have been there and gone.
            try await SweepTests.optIn("ana", client)
            try await fixture.library.withdrawConsents(of: try #require(UserID("ana")), source: .app)
            try await erase("ana", writes: 2)
            try await erase("ana", writes: 2)
        }
    }

    @Test("NTF-09 Erasures at the same time are overwritten together, and each is told when it is")
    func together() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture.run { client async throws in
            for user in SweepTests.users { try await SweepTests.optIn(user, client) }
        }
        let start = try SweepTests.writes(fixture)
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
                group.addTask { try await library.eraseLocationData(of: user) }
            }
            while store.waitingWrites < SweepTests.users.count { await Task.yield() }
            gate.open()
            return try await group.reduce(into: []) { $0 += [$1].compactMap(\.self) }
        }
        #expect(receipts.count == 3 && receipts.allSatisfy(\.isOverwritten))
        #expect(try SweepTests.writes(fixture) - start == 1)
        #expect(try await store.read { try $0.hasUnsweptErasures() } == false)
    }

    @Test("NTF-09 While a reader keeps the log the file is written anew once; the receipt says what is still to come")
    func reader() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture.run { client async throws in
            try await SweepTests.optIn("ana", client)
            let start = try SweepTests.writes(fixture)
            let snapshot = try await fixture.library.store.snapshot()
            let receipt = try await client.send(.delete, "/v1/me/location-data", as: "ana").json
            #expect(receipt["overwritten"]?.bool == false)
            for _ in 0..<3 { try await fixture.library.keepUpErasures() }
            #expect(try SweepTests.writes(fixture) - start == 1)
            #expect(try await fixture.library.store.read { try $0.hasUnsweptErasures() })
            snapshot.close()
            try await fixture.library.keepUpErasures()
            #expect(try await fixture.library.store.read { try $0.hasUnsweptErasures() } == false)
            #expect(try SweepTests.writes(fixture) - start == 1)
            // One page at most: that it was done.
            #expect(fixture.contents(ofFileEnding: "-wal").count < 5_000)
        }
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
