import Library
import App
import Notifications
import Storage
import Stories
import Testing
import TestSupport

/// Rules of the services by themselves: a store, a clock that stands still, and no HTTP.
@Suite("Rules of services")
struct ServiceRuleTests {
    private let fixture: ServiceFixture
    private var library: StoryLibrary { fixture.library }
    private let ana: UserID
    private let ben: UserID
    private let cora: UserID

    init() async throws {
        fixture = try await ServiceFixture(retentionDays: 30)
        try await fixture.makeFamilies()
        (ana, ben, cora) = (try #require(UserID("ana")), try #require(UserID("ben")), try #require(UserID("cora")))
    }

    /// A story of ana's.
    private func story(_ number: UInt64, _ privacy: Privacy = .familyOnly) -> Story {
        var story = Story(
            id: StoryID(high: 1, low: number),
            kind: .interview,
            title: "Story \(number)",
            owner: ana,
            createdAt: fixture.clock.now
        )
        story.privacy = privacy
        return story
    }

    private func add(_ stories: [Story], isAnnounced: Bool = false) async throws {
        try await library.store.write { [library, ana] transaction in
            for story in stories { try library.feed.insert(story, in: transaction) }
            if isAnnounced { try library.stories.news.announce(stories.map(\.id), by: ana, in: transaction) }
        }
    }

    /// How many stories each notification of new ones has that a user's feed holds, the latest first.
    private func news(of user: UserID) async throws -> [Int] {
        try await library.store.read { try $0.notices(of: user, in: FeedWindow()) }
            .compactMap { item -> Int? in
                guard case .newStories(let news) = item.subject else { return nil }
                return news.content.count
            }
    }

    @Test(
        "DLV-07 New stories within the hour join one notification, later ones begin another; only readers are notified"
    )
    func announcing() async throws {
        try await add([story(1)], isAnnounced: true)
        fixture.clock.advance(seconds: 3_599)
        try await add([story(2), story(3, .private)], isAnnounced: true)
        #expect(try await news(of: ben) == [2])
        fixture.clock.advance(seconds: 3_601)
        try await add([story(4)], isAnnounced: true)
        #expect(try await news(of: ben) == [1, 2])
        #expect(try await news(of: ana).isEmpty)
        #expect(try await news(of: cora).isEmpty)
    }

    @Test("PRV-06 A repeated report is the first one, also when the story is gone; one's own cannot be reported")
    func reporting() async throws {
        let shown = story(1, .public)
        try await add([shown, story(2)])
        let reports = library.moderation.reports
        let first = try await reports.report(shown.id, by: cora, reason: .spam, text: "Buy now")
        #expect(first.isNew && first.report.reason == .spam)
        try await library.store.write { [library] in try library.stories.removal.remove(shown.id, in: $0) }
        let again = try await reports.report(shown.id, by: cora, reason: .other, text: nil)
        #expect(!again.isNew && again.report == first.report)
        for (id, user) in [(shown.id, ben), (story(2).id, cora), (story(2).id, ana)] {
            await #expect(throws: (any Error).self) {
                _ = try await reports.report(id, by: user, reason: .spam, text: nil)
            }
        }
    }

    @Test("PRV-07 A removed story is kept sealed and comes back as it was; without a retention nothing is kept")
    func removing() async throws {
        let kept = story(1, .public)
        try await add([kept])
        try await library.store.write { [library] in try library.stories.removal.remove(kept.id, in: $0) }
        #expect(try await library.store.read { try $0.story(kept.id) } == nil)
        let list = try await library.maps.stories(ListWindow(limit: 9), search: StorySearch(), viewer: .anonymous)
        #expect(list.matched == 0)
        #expect(try await library.rights.retention.restore(kept.id))
        #expect(try await library.store.read { try $0.story(kept.id) }?.title == kept.title)

        let strict = try await ServiceFixture(retentionDays: 0)
        try await strict.makeFamilies()
        let other = strict.library
        try await other.store.write { transaction in
            try other.feed.insert(kept, in: transaction)
            try other.stories.removal.remove(kept.id, in: transaction)
        }
        #expect(try await other.rights.retention.restore(kept.id) == false)
    }

    @Test("SYN-03 A sync comes in pages up to one instant; the next one has what went since")
    func syncing() async throws {
        try await add([story(1), story(2), story(3, .private)])
        let (viewer, changes) = (try #require(try await library.viewer(of: ben)), library.sync.changes)
        // A change at the very instant of an answer comes with the next answer.
        fixture.clock.advance(seconds: 1)
        let first = try await changes.read(since: nil, viewer: viewer, limit: 1, to: Titles())
        #expect(first.changes.isMore && first.page.titles.count == 1)
        let last = try await changes.read(since: first.changes.next, viewer: viewer, limit: 9, to: Titles())
        #expect(!last.changes.isMore && last.changes.target == first.changes.target)
        #expect(Set(first.page.titles + last.page.titles) == ["Story 1", "Story 2"])
        let id = story(1).id
        fixture.clock.advance(seconds: 1)
        try await library.store.write { [library] in try library.stories.removal.remove(id, in: $0) }
        let next = try await changes.read(since: last.changes.next, viewer: viewer, limit: 9, to: Titles())
        #expect(next.changes.gone == [id] && next.page.titles.isEmpty && !next.changes.isMore)
        fixture.clock.advance(seconds: 400 * 86_400)
        await #expect(throws: (any Error).self) {
            _ = try await changes.read(since: next.changes.next, viewer: viewer, limit: 9, to: Titles())
        }
    }

    @Test("NTF-13 A user has at most 500 labels; one that is known can be changed then, and others have their own")
    func labels() async throws {
        func name(_ text: String) throws -> DisplayName { try DisplayName(text, in: "label") }
        let people = (0..<MarkService.maximumLabels).compactMap { UserID("person\($0)") }
        #expect(people.count == 500)
        try await library.store.write { [ben] transaction in
            for person in people { try transaction.setLabel("Cousin", of: ben, for: person) }
        }
        let refusal = await #expect(throws: Refusal.self) {
            try await library.marks.setLabel(try name("Aunt"), of: ben, for: ana)
        }
        #expect(refusal?.code == "too-many-labels")
        let known = try #require(UserID("person7"))
        try await library.marks.setLabel(try name("Uncle"), of: ben, for: known)
        #expect(try await library.marks.labels(of: ben)[known] == "Uncle")
        try await library.marks.removeLabel(of: ben, for: known)
        try await library.marks.setLabel(try name("Aunt"), of: ben, for: ana)
        try await library.marks.setLabel(try name("Son"), of: ana, for: ben)
        #expect(try await library.marks.labels(of: ana) == [ben: "Son"])
    }

    @Test("A change of a profile keeps what it does not name; an address is removed by none")
    func profile() async throws {
        let settings = library.rights.settings
        try await settings.change(ProfileChange(email: "ana@example.org"), of: ana)
        try await settings.change(ProfileChange(name: try DisplayName("Ana Maria", in: "name")), of: ana)
        let named = try await library.store.read { [ana] in try $0.user(ana) }
        #expect(named?.name == "Ana Maria" && named?.email == "ana@example.org")
        try await settings.change(ProfileChange(email: .some(nil)), of: ana)
        let bare = try await library.store.read { [ana] in try $0.user(ana) }
        #expect(bare?.name == "Ana Maria" && bare?.email == nil)
        let nobody = try #require(UserID("nobody"))
        await #expect(throws: Refusal.self) { try await settings.change(ProfileChange(), of: nobody) }
    }

    @Test("NTF-02 A device is monitored while its user is opted in and has not denied the permission")
    func devices() async throws {
        func isMonitored(_ permission: DevicePermission) async throws -> Bool {
            try await library.fences.saveDevice("phone", of: ben, permission: permission, platform: nil)
        }
        #expect(try await !isMonitored(.always))
        _ = try await library.rights.settings.change(of: ben, source: .app) { settings, now in
            try settings.optIn(at: now, version: "1")
        }
        #expect(try await isMonitored(.always))
        #expect(try await !isMonitored(.denied))
    }
}

/// A page of which the titles alone are looked at.
private struct Titles: StoryPageWriter {
    private(set) var titles: [String] = []
    var length: Int { 0 }

    mutating func add(_ story: StoryView) { titles.append(story.story.title) }
}
