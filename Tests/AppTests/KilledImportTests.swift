import Library
import Storage
import Stories
import TestSupport
import Testing

@Suite("Imports of a process that was killed")
struct KilledImportTests {
    @Test("REL-02 An import whose process was killed is interrupted once the database is opened again")
    func killed() async throws {
        let fixture = try await ServiceFixture()
        let owner = try #require(UserID("ana"))
        let origin = StoredImport.Origin(owner: owner, source: "letters", file: "letters.csv", digest: [1])
        let now = fixture.clock.now
        let number = try await fixture.library.store.write { transaction in
            try transaction.save(User(id: owner, name: "Ana"), at: now)
            return try transaction.beginImport("a", from: origin, at: now)
        }
        #expect(try await fixture.library.importHistory.find(number)?.state == .running)
        try fixture.library.store.close()
        let next = try await ServiceFixture(of: fixture)
        #expect(try await next.library.importHistory.find(number)?.state == .interrupted)
    }
}
