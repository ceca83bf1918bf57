import App
import Library
import GRDB
import Geometry
import HTTPTypes
import Notifications
import Storage
import Stories
import TestSupport
import Testing

@Suite("Removing a user without stories")
struct UserRemovalTests {
    /// Everything that the rows of notices say.
    private func rows(in fixture: ServiceFixture) throws -> [String] {
        try fixture.library.store.inspect { db in
            try Row.fetchAll(db, sql: "SELECT * FROM notices")
                .map { row in row.map { "\($0.1)" }.joined(separator: "|") }
        }
    }

    @Test("NTF-09 The names of the user and their public place disappear from others' notifications")
    func namesInFeeds() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        let (ana, now) = (try #require(UserID("ana")), fixture.clock.now)
        var generator = SplitMix64(seed: 1)
        let place = NamedPlace(
            id: NamedPlaceID(using: &generator),
            owner: ana,
            name: "Zion",
            coordinate: FenceStreet.start,
            privacy: .public,
            createdAt: now
        )
        try await fixture.library.store.write { transaction in
            try transaction.save(User(id: ana, name: "Ana Quillfeather"), at: now)
            try transaction.save(place)
        }
        try await FenceStreet.run(in: fixture) { street async throws in
            _ = try await street.story("cora", at: 0, named: "A")
            #expect(try await street.enter(try #require(try await street.fences()[0])) == 1)
            _ = try await street.client.invite(["{\"user\":\"cora\"}"], into: "whitfield", as: "ana")
            let traces = ["Zion", place.id.rawValue, "Quillfeather"]
            let before = try rows(in: fixture)
            for trace in traces { #expect(before.contains { $0.contains(trace) }, "\(trace)") }
            #expect(try await fixture.library.rights.erasures.removeUser(ana))
            let after = try rows(in: fixture)
            #expect(after.count == before.count)
            for trace in traces { #expect(!after.contains { $0.contains(trace) }, "\(trace): \(after)") }
            #expect(try await street.words() == ["A: 1 story nearby"])
        }
    }

    @Test("A story owner stays, with all their data; an unknown user is not removed")
    func refusal() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        let (ana, nobody) = (try #require(UserID("ana")), try #require(UserID("nobody")))
        try await fixture.run { client async throws in
            let token = try await client.accounts.issueToken(for: ana, seconds: 3_600)
            let id = try await client.create(as: "ana", title: "x")
            fixture.clock.advance(seconds: 60)
            let refusal = await #expect(throws: StoreError.self) {
                try await fixture.library.rights.erasures.removeUser(ana)
            }
            #expect(refusal?.code == .conflict)
            #expect(refusal?.description.contains("still owns 1 stories; delete them first") == true)
            #expect(try await client.get("/v1/me", headers: KeyTests.bearer(token)).status == 200)
            #expect(try await fixture.library.viewer(of: ana)?.families.count == 1)
            #expect(try fixture.erasureLines().isEmpty)
            #expect(try await client.send(.delete, "/v1/stories/\(id)", as: "ana").status == 204)
            #expect(try await fixture.library.rights.erasures.removeUser(ana))
            #expect(try await !fixture.library.rights.erasures.removeUser(ana))
            #expect(try await !fixture.library.rights.erasures.removeUser(nobody))
        }
    }

    @Test("NTF-09 Restoring an older copy of the database does not bring them back")
    func restoredCopy() async throws {
        let before = try await ServiceFixture()
        try await before.makeFamilies()
        let copy = try TemporaryFolder()
        let (ana, ben) = (try #require(UserID("ana")), try #require(UserID("ben")))
        try before.closeAndCopy(to: copy)
        before.clock.advance(seconds: 60)
        let later = try await ServiceFixture(of: before)
        #expect(try await later.library.rights.erasures.removeUser(ana))
        #expect(try later.erasureLines().map { $0[3] } == ["account"])
        try later.closeAndPutBack(copy)
        let restored = try await ServiceFixture(of: before)
        #expect(try await restored.library.viewer(of: ana) == nil)
        #expect(try await restored.library.viewer(of: ben) != nil)
        #expect(restored.library.store.erasures.accountErasure(of: ana) != nil)
    }
}
