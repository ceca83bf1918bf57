import Notifications
import Storage
import Stories
import Testing
import TestSupport

@Suite("Notification settings in the store")
struct SettingsTests {
    private let user: UserID
    private let fixture: StoreFixture

    init() throws {
        user = try #require(UserID("archive"))
        fixture = try StoreFixture()
    }

    @Test("NTF-01 A consent change is added to its history; a withdrawal is also on the list of erasures")
    func withdrawal() async throws {
        let line = StoryID(high: 1, low: 2)
        try await change(at: 1_000, erasure: StoryID(high: 1, low: 1)) { try $0.optIn(at: $1, version: "1") }
        #expect(fixture.store.erasures.entries.isEmpty)
        try await change(at: 2_000, erasure: line) { settings, _ in settings.optOut() }
        let history = try await history()
        #expect(history.map(\.action) == [.given, .withdrawn])
        #expect(history.map(\.at.milliseconds) == [1_000, 2_000])
        #expect(history.map(\.version) == ["1", "1"])
        #expect(history.map(\.source) == [.app, .app])
        #expect(fixture.store.erasures.entries.map(\.id) == [line])
        #expect(fixture.store.erasures.entries.map(\.kind) == [.consent])
    }

    @Test("A withdrawal as part of an erasure is in the history without a list entry of its own")
    func withdrawalByErasure() async throws {
        try await change(at: 1_000, erasure: nil) { try $0.optIn(at: $1, version: "1") }
        try await change(at: 2_000, erasure: nil) { settings, _ in settings.optOut() }
        #expect(try await history().map(\.action) == [.given, .withdrawn])
        #expect(fixture.store.erasures.entries.isEmpty)
    }

    @Test("Other settings changes are not in the consent history")
    func otherChange() async throws {
        try await change(at: 1_000, erasure: StoryID(high: 1, low: 1)) { settings, _ in settings.radius = 300 }
        #expect(try await history().isEmpty)
        #expect(fixture.store.erasures.entries.isEmpty)
        let stored = try await fixture.store.read { [user] in try $0.notificationSettings(of: user) }
        #expect(stored.radius == 300)
    }

    private func history() async throws -> [ConsentRecord] {
        try await fixture.store.read { [user] in try $0.consents(of: user) }
    }

    private func change(
        at milliseconds: Int64,
        erasure: StoryID?,
        _ body: @escaping @Sendable (inout NotificationSettings, Timestamp) throws -> Void
    ) async throws {
        let now = Timestamp(milliseconds: milliseconds)
        try await fixture.store.write { [user] transaction in
            var settings = try transaction.notificationSettings(of: user)
            try body(&settings, now)
            try transaction.save(settings, of: user, at: now, source: .app, erasure: erasure)
        }
    }
}
