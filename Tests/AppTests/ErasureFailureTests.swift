import App
import Library
import Foundation
import GRDB
import Storage
import Stories
import Testing
import TestSupport

@Suite("Failing erasures")
struct ErasureFailureTests {
    /// Refuses to commit, as a disk does that has become full, as long as it is told to.
    private final class FullDisk: TransactionObserver {
        var isFull = true

        func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { false }
        func databaseDidChange(with event: DatabaseEvent) {}
        func databaseDidCommit(_ db: Database) {}
        func databaseDidRollback(_ db: Database) {}
        func databaseWillCommit() throws {
            if isFull { throw DatabaseError(resultCode: .SQLITE_FULL) }
        }
    }

    @Test("NTF-09 On a full disk nothing is erased, the list is rolled back, and the next opening does not erase")
    func fullDisk() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        let (ana, ben) = (try #require(UserID("ana")), try #require(UserID("ben")))
        try await fixture.library.rights.settings.withdrawConsents(of: ben, source: .app)
        _ = try await fixture.library.rights.erasures.eraseLocationData(of: ben)
        let before = try fixture.erasureLines()
        #expect(before.count == 1)
        let store = fixture.library.store
        let disk = try store.inspect { db in
            let disk = FullDisk()
            db.add(transactionObserver: disk)
            return UncheckedBox(disk)
        }
        let failure = await #expect(throws: StoreError.self) {
            try await fixture.library.rights.erasures.eraseAccount(of: ana)
        }
        #expect(failure?.code == .diskFull)
        #expect(try fixture.erasureLines() == before)
        #expect(store.erasures.accountErasure(of: ana) == nil)
        try store.inspect { _ in disk.value.isFull = false }
        try await fixture.library.store.write { try $0.save(User(id: ana, name: "Still here"), at: fixture.clock.now) }
        try store.close()
        fixture.clock.advance(seconds: 60)
        let next = try await ServiceFixture(of: fixture)
        #expect(try await next.library.store.read { try $0.user(ana)?.name } == "Still here")
        #expect(next.library.store.erasures.entries.count == 1)
        // With room again it is done, and listed once.
        #expect(try await next.library.rights.erasures.eraseAccount(of: ana) != nil)
        #expect(try next.erasureLines().map { $0[3] } == ["location-data", "account"])
    }

    @Test("NTF-09 An erasure that cannot be listed is not carried out; concurrent writes are")
    func unwritableList() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        let (ana, ben) = (try #require(UserID("ana")), try #require(UserID("ben")))
        // A folder in its place cannot be written to, by root neither.
        let list = fixture.folder.path("waymark.db.keys/erasures.log")
        if FileManager.default.fileExists(atPath: list) { try FileManager.default.removeItem(atPath: list) }
        try FileManager.default.createDirectory(atPath: list, withIntermediateDirectories: false)
        async let erasure = await Result { try await fixture.library.rights.erasures.eraseAccount(of: ana) }
        async let other: Void = fixture.library.store.write {
            try $0.save(User(id: ben, name: "Benedict"), at: fixture.clock.now)
        }
        let outcome = await erasure
        #expect(throws: StoreError.self) { try outcome.get() }
        try await other
        #expect(try await fixture.library.store.read { try $0.user(ana) } != nil)
        #expect(try await fixture.library.store.read { try $0.user(ben)?.name } == "Benedict")
        #expect(try await fixture.library.store.read { try $0.hasUnsweptErasures() } == false)
    }
}

/// Hands something to the thread of the database that is only used there.
private struct UncheckedBox<Value>: @unchecked Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
}

extension Result where Failure == any Error {
    /// What an asynchronous piece of work comes to.
    fileprivate init(_ work: () async throws -> Success) async {
        do {
            self = .success(try await work())
        } catch {
            self = .failure(error)
        }
    }
}
