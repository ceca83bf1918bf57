import GRDB
import Storage
import Stories
import TestSupport
import Testing

@Suite("Passkeys in the store")
struct PasskeyStoreTests {
    private static func passkey(_ number: UInt64, credential: [UInt8]? = nil, of user: String) throws -> StoredPasskey {
        StoredPasskey(
            id: StoryID(high: 3, low: number),
            credential: credential ?? [UInt8(number)],
            user: try #require(UserID(user)),
            handle: [7, 0, 7],
            party: "stories.example.org",
            name: "Phone \(number)",
            algorithm: -257,
            key: [UInt8](repeating: 0xFF, count: 259),
            counter: .max,
            isSynced: number == 2,
            createdAt: Timestamp(milliseconds: 5_000 + Int64(number)),
            usedAt: number == 2 ? Timestamp(milliseconds: 3_600_000) : nil
        )
    }

    @Test("A database from before there were passkeys gets the table, and every field comes back")
    func migration() async throws {
        let fixture = try StoreFixture()
        try fixture.store.inspect { db in
            try db.execute(sql: "DROP TABLE passkeys; DELETE FROM grdb_migrations WHERE identifier = 'passkeys';")
        }
        try fixture.store.close()
        let again = try StoreFixture.open(fixture.folder, .readWrite)
        let ana = try #require(UserID("ana"))
        let passkeys = [try PasskeyStoreTests.passkey(1, of: "ana"), try PasskeyStoreTests.passkey(2, of: "ana")]
        try await again.write { transaction in
            try transaction.save(User(id: ana, name: "Ana"), at: Timestamp(milliseconds: 1))
            for passkey in passkeys { try transaction.insert(passkey) }
        }
        #expect(try await again.read { try $0.passkeys(of: ana) } == passkeys.reversed())
        #expect(try await again.read { try $0.passkey(credential: [2]) } == passkeys[1])
        #expect(try await again.read { try $0.passkey(credential: [3]) } == nil)
        try await again.write { transaction in
            try transaction.noteUse(ofPasskey: passkeys[0].id, counter: 9, at: Timestamp(milliseconds: 7_200_000))
        }
        let used = try await again.read { try $0.passkey(credential: [1]) }
        #expect(used?.counter == 9 && used?.usedAt == Timestamp(milliseconds: 7_200_000))
        #expect(used?.createdAt == passkeys[0].createdAt)
    }

    @Test("A credential is stored once, whoever comes with it, and goes with its user")
    func unique() async throws {
        let fixture = try StoreFixture()
        let users = try ["ana", "ben"].map { try #require(UserID($0)) }
        let first = try PasskeyStoreTests.passkey(1, of: "ana")
        let second = try PasskeyStoreTests.passkey(2, credential: [1], of: "ben")
        let homeless = try PasskeyStoreTests.passkey(3, of: "nobody")
        try await fixture.store.write { transaction in
            for user in users { try transaction.save(User(id: user, name: "A"), at: Timestamp(milliseconds: 1)) }
            try transaction.insert(first)
        }
        for wrong in [second, homeless] {
            await #expect(throws: StoreError.self) { try await fixture.store.write { try $0.insert(wrong) } }
        }
        let now = Timestamp(milliseconds: 9_000)
        #expect(try await fixture.store.write { try $0.endPasskey(first.id, of: users[1], at: now) } == false)
        try fixture.store.inspect { try $0.execute(sql: "DELETE FROM users WHERE id = 'ana'") }
        #expect(try await fixture.store.read { try $0.passkey(credential: [1]) } == nil)
    }
}
