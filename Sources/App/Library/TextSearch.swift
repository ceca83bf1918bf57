package import Storage
package import Stories
package import StoryMap
import Synchronization

/// Searches the texts of stories: from memory once their index is made, in the database until then.
///
/// The index is made of the database, and what changes is read again before the next search. It never tells less than
/// what was shown on the map when the search began.
package actor TextSearch {
    /// What changed since the index was last brought up to date.
    private struct Changes {
        var stories: Set<StoryID> = []
        /// More than is worth remembering: the index is to be made anew.
        var isEverything = false
    }

    private let store: StoryStore
    private let key: DigestKey
    /// How many stories are indexed while somebody waits, and how many changed ones are remembered.
    private let mostAtOnce: Int
    private let memory: Int
    private nonisolated let changes = Mutex(Changes())

    private var index: TextIndex?
    /// Counts the indexes dropped, to know what was begun before.
    private var generation = 0
    /// The index would take too much memory: searches stay with the database.
    private var isTooLarge = false
    /// Whether an index of many stories is worth making: a service searches often, a command once.
    private var isWanted = false
    private var making: Task<Void, any Error>?
    private var catchingUp: Task<Void, any Error>?
    /// What has changed since the index that is being made was begun.
    private var sinceMaking: Set<StoryID> = []

    /// Creates a search in the stories of a store, with an index of at most `memory` bytes.
    package init(store: StoryStore, key: DigestKey, mostAtOnce: Int = 20_000, memory: Int = 512 << 20) {
        self.store = store
        self.key = key
        self.mostAtOnce = mostAtOnce
        self.memory = memory
    }

    /// Takes note that stories changed; to be called before anybody can see the change.
    package nonisolated func note(_ stories: some Sequence<StoryID>) {
        changes.withLock { changes in
            guard !changes.isEverything else { return }
            changes.stories.formUnion(stories)
            guard changes.stories.count > mostAtOnce else { return }
            changes = Changes(isEverything: true)
        }
    }

    /// The stories the viewer may see whose texts hold every one of `words`, without regard to case; see
    /// ``StoreTransaction/storyIDs(containing:viewer:)``.
    ///
    /// `count` says about how many stories there are: an index of few is made at once.
    package nonisolated func stories(
        containing words: [String],
        viewer: Viewer,
        among count: Int
    ) async throws -> Set<StoryID> {
        guard let index = try await currentIndex(count) else {
            return try await store.read { try $0.storyIDs(containing: words, viewer: viewer) }
        }
        return await TextSearch.search(index, words, viewer)
    }

    /// Away from the threads that answer other requests.
    @concurrent
    private static func search(_ index: TextIndex, _ words: [String], _ viewer: Viewer) async -> Set<StoryID> {
        index.stories(containing: words.map { $0.lowercased() }, viewer: viewer)
    }

    /// Whether searches are answered from memory.
    package var isReady: Bool { index != nil }

    /// Forgets what is in memory: for texts that must not outlive their stories even there.
    package nonisolated func startAnew() {
        changes.withLock { $0 = Changes(isEverything: true) }
        Task { await replace() }
    }

    private func replace() {
        dropIfOutdated()
        if index == nil, isWanted, !isTooLarge { _ = startMaking() }
    }

    /// Drops an index that too much has changed for; whatever is being made of it or beside it comes too late then.
    private func dropIfOutdated() {
        guard changes.withLock({ $0.isEverything }) else { return }
        index = nil
        generation += 1
        making = nil
        changes.withLock { $0 = Changes() }
    }

    /// Makes the index of any number of stories, and keeps it up to date from now on.
    package func prepare() async throws {
        isWanted = true
        if index == nil, !isTooLarge { try await startMaking().value }
    }

    /// The index with everything that has been noted until now, or `nil` while there is none.
    private func currentIndex(_ count: Int) async throws -> TextIndex? {
        // Mostly one round, or two when one was under way; where stories change all the time the database answers.
        for _ in 0..<8 {
            dropIfOutdated()
            guard !isTooLarge else { return nil }
            if index == nil {
                guard count <= mostAtOnce || isWanted else { return nil }
                let task = startMaking()
                guard count <= mostAtOnce else { return nil }
                try await task.value
            }
            guard catchingUp != nil || changes.withLock({ !$0.stories.isEmpty }) else { return index }
            let task = catchingUp ?? Task { try await catchUp() }
            catchingUp = task
            try await task.value
        }
        return nil
    }

    /// Brings the index up to date with what has been noted until now.
    private func catchUp() async throws {
        defer { catchingUp = nil }
        guard let index else { return }
        let begun = generation
        let changed = changes.withLock { changes in
            defer { changes.stories = [] }
            return changes.stories
        }
        if making != nil { sinceMaking.formUnion(changed) }
        let reread = changed.union(index.rereading(with: changed.count)).sorted()
        do {
            let newer = try await store.read { index.changed(reread, to: try $0.searchableTexts(reread)) }
            guard begun == generation else { return }
            isTooLarge = newer.map { $0.memory > memory } ?? true
            self.index = isTooLarge ? nil : newer
        } catch {
            note(changed)
            throw error
        }
        if self.index?.isWorn == true { _ = startMaking() }
    }

    /// Begins to make the index anew, unless that is under way.
    private func startMaking() -> Task<Void, any Error> {
        if let making { return making }
        // An index that is still used goes on to be told what changes.
        if index == nil { changes.withLock { $0.stories = [] } }
        sinceMaking = []
        let task = Task { try await make() }
        making = task
        return task
    }

    private func make() async throws {
        let begun = generation
        defer { if begun == generation { making = nil } }
        let made = try await store.read { [key, memory] transaction in
            try TextIndex(key: key, memory: memory) { add in try transaction.forEachSearchableText(add) }
        }
        guard begun == generation else { return }
        isTooLarge = made == nil
        index = made
        // What the one before is just being told, this one is told again.
        generation += 1
        making = nil
        note(sinceMaking)
    }
}
