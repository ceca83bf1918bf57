import App
import Library
import Formats
import Foundation
import GRDB
import HTTPTypes
import Storage
import Stories
import Synchronization
import TestSupport
import Testing

@Suite("Restoring an older copy of the database")
struct RestoredCopyTests {
    private static func status(_ bearer: String, _ client: Client) async throws -> Int {
        try await client.get("/v1/me", headers: KeyTests.bearer(bearer)).status
    }

    @Test("NTF-09 It neither revives revoked keys nor signs anyone in who was signed out")
    func access() async throws {
        let before = try await ServiceFixture()
        try await before.makeFamilies()
        let copy = try TemporaryFolder()
        let (ana, ben, cora) = (
            try #require(UserID("ana")), try #require(UserID("ben")), try #require(UserID("cora"))
        )
        func key(_ user: UserID, days: Int?) async throws -> (key: StoredKey, text: String) {
            try await before.accounts.makeKey(.init(holder: .user(user, [.accountManage]), name: "x", days: days))
        }
        let (revoked, short, kept) = (
            try await key(ana, days: nil), try await key(ana, days: 2), try await key(cora, days: nil)
        )
        let (ended, stolen, everywhere, stays) = (
            try await before.accounts.signIn(ana), try await before.accounts.signIn(ana),
            try await before.accounts.signIn(ben), try await before.accounts.signIn(cora)
        )
        let long = try await before.accounts.issueToken(for: ben, seconds: 86_400 * 300)
        try before.closeAndCopy(to: copy)

        let later = try await ServiceFixture(of: before)
        before.clock.advance(seconds: 60)
        try await later.run { client async throws in
            for made in [revoked, short] {
                #expect(try await client.send(.delete, "/v1/me/keys/\(made.key.id)", as: "ana").status == 204)
            }
            let body = "{\"refresh_token\":\"\(ended.refresh)\"}"
            #expect(try await client.send(.post, "/v1/tokens/revoke", body).status == 204)
            _ = try await SessionTests.refresh(stolen.refresh, client)
            before.clock.advance(seconds: 60)
            #expect(try await SessionTests.refresh(stolen.refresh, client).status == 401)
            #expect(try await client.send(.delete, "/v1/me/sessions", as: "ben").status == 204)
        }
        let newer = try await later.accounts.issueToken(for: ben, seconds: 86_400)
        try later.closeAndPutBack(copy)

        let restored = try await ServiceFixture(of: before)
        try await restored.run { client async throws in
            for (name, bearer) in [
                ("key", revoked.text), ("key with an end", short.text), ("access token", ended.access),
                ("access token of a thief", stolen.access), ("long token", long), ("signed out", everywhere.access),
            ] {
                #expect(try await RestoredCopyTests.status(bearer, client) == 401, "\(name)")
            }
            for pair in [ended, stolen, everywhere] {
                #expect(try await SessionTests.refresh(pair.refresh, client).status == 401)
            }
            #expect(try await RestoredCopyTests.status(kept.text, client) == 200)
            #expect(try await RestoredCopyTests.status(newer, client) == 200)
            #expect(try await SessionTests.refresh(stays.refresh, client).status == 200)
        }
        let list = try restored.erasureLines()
        #expect(list.map { $0[3] }.sorted() == ["key", "key", "sign-in", "sign-in", "sign-out"])
        let words = Set(list.flatMap { $0 }.map(String.init))
        #expect(words.isDisjoint(with: ["ana", "ben", revoked.key.id, ended.refresh]))
    }

    @Test("PRV-07 It restores no deleted story, and not a byte of one deleted for good")
    func stories() async throws {
        let before = try await ServiceFixture()
        try await before.makeFamilies()
        let copy = try TemporaryFolder()
        let ids = Mutex<[String: String]>([:])
        try await before.run { client async throws in
            for name in ["Staying", "Deletedquill", "Purgedquill", "Sealedquill", "Returned"] {
                let id = try await client.create(as: "ana", title: name, latitude: 48.858372, longitude: 2.294481)
                ids.withLock { $0[name] = id }
            }
            let sealed = try #require(ids.withLock { $0["Sealedquill"] })
            #expect(try await client.send(.delete, "/v1/stories/\(sealed)", as: "ana").status == 204)
        }
        try before.closeAndCopy(to: copy)
        let all = ids.withLock { $0 }
        @Sendable func id(_ name: String) throws -> StoryID { try #require(all[name].flatMap { StoryID($0) }) }

        before.clock.advance(seconds: 86_400)
        // One is deleted for good, the retention of another ends, two are deleted of which one comes back.
        let strict = try await ServiceFixture(of: before, retentionDays: 0)
        try await strict.run { client async throws in
            let path = "/v1/stories/\(try id("Purgedquill"))"
            #expect(try await client.send(.delete, path, as: "ana").status == 204)
        }
        #expect(try await strict.library.rights.retention.purge(olderThanDays: 1) == 1)
        try strict.library.store.close()
        before.clock.advance(seconds: 60)
        let later = try await ServiceFixture(of: before)
        try await later.run { client async throws in
            for name in ["Deletedquill", "Returned"] {
                #expect(try await client.send(.delete, "/v1/stories/\(try id(name))", as: "ana").status == 204)
            }
        }
        let deletedAt = before.clock.now
        #expect(try await later.library.rights.retention.restore(try id("Returned")))
        before.clock.advance(seconds: 60)
        try later.closeAndPutBack(copy)
        let path = before.folder.path("waymark.db")
        #expect(throws: StoreError.self) { try StoryStore(path: path, mode: .readOnly, logger: before.logger) }

        let restored = try await ServiceFixture(of: before)
        let search = ByteSearch(texts: ["Deletedquill", "Purgedquill", "Sealedquill"], degrees: [])
        #expect(try search.findings(in: before.folder.url) == [])
        try await restored.run { client async throws in
            let list = try await client.get("/v1/stories", as: "ana").json["features"]?.array ?? []
            #expect(list.compactMap { $0["properties"]?["title"]?.string }.sorted() == ["Returned", "Staying"])
            #expect(try await client.get("/v1/clusters?bbox=2,48,3,49&zoom=3").json["numberMatched"]?.integer == 2)
        }
        // What the retention still holds is there for the operator, as deleted when it was.
        let kept = try await restored.library.store.read { transaction in
            var kept: [StoryID: Timestamp] = [:]
            try transaction.forEachSealedStory { id, _, at, _ in kept[id] = at }
            return kept
        }
        #expect(kept == [try id("Deletedquill"): deletedAt])
        #expect(try await restored.library.rights.retention.restore(try id("Deletedquill")))
        #expect(try restored.erasureLines().contains { $0.contains { $0 == (all["Deletedquill"] ?? "") } } == false)
    }

    @Test("NTF-09 The list of erasures keeps only what an older copy may still need")
    func bounded() async throws {
        let first = try await ServiceFixture()
        try await first.makeFamilies()
        let (ana, ben) = (try #require(UserID("ana")), try #require(UserID("ben")))
        try await first.run { client async throws in
            for _ in 0..<3 {
                let pair = try await first.accounts.signIn(ana)
                _ = try await client.send(.post, "/v1/tokens/revoke", "{\"refresh_token\":\"\(pair.refresh)\"}")
                _ = try await client.send(.delete, "/v1/me/sessions", as: "ana")
                _ = try await client.send(.delete, "/v1/me/sessions", as: "ben")
                _ = try await client.send(.delete, "/v1/me/location-data", as: "ana")
                let id = try await client.create(as: "ana", title: "x")
                _ = try await client.send(.delete, "/v1/stories/\(id)", as: "ana")
                first.clock.advance(seconds: 60)
                _ = try await first.library.rights.retention.purge(olderThanDays: 0)
                let back = try await client.create(as: "ben", title: "x")
                _ = try await client.send(.delete, "/v1/stories/\(back)", as: "ben")
                #expect(try await first.library.rights.retention.restore(try #require(StoryID(back))))
            }
        }
        #expect(try first.erasureLines().count == 24)
        try first.library.store.close()
        func kinds(_ fixture: ServiceFixture) throws -> [String] {
            try fixture.erasureLines().map { String($0[3]) }.sorted()
        }
        let deletions = ["story-deleted", "story-deleted", "story-deleted"]
        let second = try await ServiceFixture(of: first)
        #expect(
            try kinds(second)
                == ["location-data", "retention", "sign-in", "sign-in", "sign-in", "sign-out", "sign-out"] + deletions
        )
        #expect(try await second.library.rights.erasures.eraseAccount(of: ana) != nil)
        try second.library.store.close()
        first.clock.advance(seconds: 31 * 86_400)
        let third = try await ServiceFixture(of: first)
        #expect(try kinds(third) == ["account", "retention", "sign-out"] + deletions)
        #expect(third.library.store.erasures.accountErasure(of: ana) != nil)
        #expect(third.library.store.erasures.accountErasure(of: ben) == nil)
        let applied = try third.library.store.inspect { db in
            try Int.fetchOne(db, sql: "SELECT count(*) FROM applied_erasures")
        }
        #expect(applied == 6)
        try third.library.store.close()
        let again = try await ServiceFixture(of: first)
        #expect(try kinds(again).count == 6)
    }
}
