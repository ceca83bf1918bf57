import Library
import App
import Geometry
import Storage
import Stories
import StoryMap
import TestSupport
import Testing

@Suite("Text search in memory and in the database")
struct TextSearchTests {
    private static let key = DigestKey(high: 5, low: 6)

    /// A store with the stories of a world.
    private func fixture(_ world: StoryWorld) async throws -> ServiceFixture {
        let fixture = try await ServiceFixture()
        try await fixture.library.store.write { transaction in
            let time = Timestamp(milliseconds: 0)
            for user in world.users { try transaction.ensureUser(user, at: time) }
            for family in world.families.keys.sorted() {
                try transaction.saveFamily(family, name: try DisplayName(family.rawValue, in: "name"), at: time)
            }
            for story in world.stories { try transaction.insert(TextSearchTests.worded(story)) }
        }
        return fixture
    }

    private static func worded(_ story: Story) -> Story {
        var story = story
        story.text = "A choir of \(story.id.low % 7) on ELM Street"
        story.location?.names = [.city: "Chicago \(story.id.low % 3)"]
        return story
    }

    private static let questions = [["choir"], ["story", "elm"], ["chicago"], ["chicago", "2"], ["7"], ["xylophone"]]

    /// Whether all questions of all viewers have the same answers from `search` and from the database.
    private func agree(_ search: TextSearch, _ world: StoryWorld, _ fixture: ServiceFixture) async throws -> Bool {
        for viewer in world.viewers {
            for words in TextSearchTests.questions {
                let found = try await search.matches(of: words, viewer: viewer, among: 1_000, isRanked: true)
                let plain = try await search.matches(of: words, viewer: viewer, among: 1_000)
                let matcher = TextMatcher(words, viewer: viewer) { _, _ in "" }
                let expected = try await fixture.library.store.read { try $0.ranks(matcher, viewer: viewer) }
                guard found.ranks == expected, found.stories == Set(expected.keys) else { return false }
                guard plain.ranks == nil, plain.stories == found.stories else { return false }
            }
        }
        return true
    }

    @Test("MAP-09 PRV-02 LOC-08 Few stories are indexed at once, many on demand, with the same answers")
    func paths() async throws {
        var world = StoryWorld(seed: 11, count: 200)
        let fixture = try await fixture(world)
        let store = fixture.library.store
        let few = TextSearch(store: store, key: TextSearchTests.key)
        let many = TextSearch(store: store, key: TextSearchTests.key, mostAtOnce: 50)
        let full = TextSearch(store: store, key: TextSearchTests.key, memory: 1_000)
        for search in [few, many, full] { #expect(try await agree(search, world, fixture)) }
        let areReady = [await few.isReady, await many.isReady, await full.isReady]
        #expect(areReady == [true, false, false])
        try await many.prepare()
        #expect(await many.isReady)
        for round in 0..<6 {
            // The fourth round changes more than the small one remembers.
            let changed = (0..<(round == 3 ? 80 : 9))
                .map { number in
                    TextSearchTests.worded(world.randomStory(id: world.stories[(round * 31 + number) % 200].id))
                }
            let removed = world.stories[190 - round].id
            try await store.write { transaction in
                for story in changed where try transaction.story(story.id) != nil { try transaction.update(story) }
                try transaction.deleteStory(removed)
            }
            for search in [few, many, full] { search.note(changed.map(\.id) + [removed]) }
            for search in [few, many, full] { #expect(try await agree(search, world, fixture)) }
            try await many.prepare()
        }
        #expect(await many.isReady)
        many.forgetRemoved()
        #expect(try await agree(many, world, fixture))
    }

    @Test("NTF-09 Text of removed stories leaves the memory, and searches still work meanwhile")
    func forgotten() async throws {
        let world = StoryWorld(seed: 13, count: 60)
        let fixture = try await fixture(world)
        let store = fixture.library.store
        let search = TextSearch(store: store, key: TextSearchTests.key)
        #expect(try await agree(search, world, fixture))
        let before = await search.memoryUsed
        let removed = world.stories.prefix(40).map(\.id)
        try await store.write { transaction in
            for id in removed { try transaction.deleteStory(id) }
        }
        search.note(removed)
        search.forgetRemoved()
        #expect(await search.isReady)
        #expect(try await agree(search, world, fixture))
        // The second call comes while the first may still be at work: what it reads is read again.
        search.forgetRemoved()
        var rounds = 0
        while await search.memoryUsed > before / 2, rounds < 1_000 {
            try await search.settle()
            rounds += 1
            await Task.yield()
        }
        #expect(await search.memoryUsed <= before / 2)
        #expect(try await agree(search, world, fixture))
    }

    @Test("MAP-09 Concurrent searches all see what was recorded before they started")
    func together() async throws {
        let world = StoryWorld(seed: 12, count: 50)
        let fixture = try await fixture(world)
        let store = fixture.library.store
        let search = TextSearch(store: store, key: TextSearchTests.key)
        let id = try #require(world.stories.first { $0.isVisible(to: .anonymous) }).id
        for round in 0..<20 {
            try await store.write { transaction in
                guard var story = try transaction.story(id) else { return }
                story.text = "turn\(round)."
                try transaction.update(story)
            }
            search.note([id])
            let found = try await withThrowingTaskGroup(of: Set<StoryID>.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        try await search.matches(of: ["turn\(round)"], viewer: .anonymous, among: 50).stories
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(found == Array(repeating: [id], count: 8))
        }
    }
}
