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

    /// What has been made of all stories: no index if that is too large.
    private struct Made {
        let index: TextIndex?
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
    /// What is being made can hold what must be forgotten: it is to be made once more.
    private var mustMakeAgain = false
    private let pace: BackgroundPace

    /// How many stories are read at a time while an index is made.
    private static let piece = 2_000

    /// Creates a search in the stories of a store, with an index of at most `memory` bytes.
    package init(
        store: StoryStore,
        key: DigestKey,
        mostAtOnce: Int = 20_000,
        memory: Int = 512 << 20,
        pace: BackgroundPace? = nil
    ) {
        self.pace = pace ?? BackgroundPace(store: store)
        self.store = store
        self.key = key
        self.mostAtOnce = mostAtOnce
        self.memory = memory
    }

    /// Follows a commit; to be called before anybody can see what it changed.
    package nonisolated func follow(_ change: StoreChange) {
        note(change.stories.map(\.id))
        if change.hidesAccount { forgetRemoved() }
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

    /// What the index takes in memory, in bytes.
    package var memoryUsed: Int { index?.memory ?? 0 }

    /// Forgets what is in memory and not in the database any more: for texts that must not outlive their stories.
    ///
    /// The index is made anew beside the one there is, which goes on answering: what is gone is not found in it, only its
    /// words are still there for as long. To be called when the texts are gone from the database, or hidden in it.
    package nonisolated func forgetRemoved() {
        Task { await makeAgain() }
    }

    private func makeAgain() {
        if making != nil { mustMakeAgain = true } else if index != nil { _ = startMaking() }
    }

    /// Waits until no index is being made.
    package func settle() async throws {
        while let making { try await making.value }
    }

    /// Drops an index that too much has changed for; whatever is being made of it or beside it comes too late then.
    private func dropIfOutdated() {
        guard changes.withLock({ $0.isEverything }) else { return }
        index = nil
        generation += 1
        making = nil
        mustMakeAgain = false
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
        defer {
            if begun == generation {
                making = nil
                mustMakeAgain = false
            }
        }
        guard let made = try await readAll(begun) else { return }
        isTooLarge = made.index == nil
        index = made.index
        // What the one before is just being told, this one is told again.
        generation += 1
        making = nil
        note(sinceMaking)
        guard mustMakeAgain else { return }
        mustMakeAgain = false
        if index != nil { _ = startMaking() }
    }

    /// Reads all stories in pieces, each as the database is by then: what changes meanwhile is noted and read again.
    ///
    /// Returns `nil` when what is being made is not wanted any more. Beside an index that answers it takes its time.
    private func readAll(_ begun: Int) async throws -> Made? {
        let builder = TextIndexBuilder(key: key, memory: memory)
        var pace = pace
        var last: StoryID?
        repeat {
            let read = { [store, last] in
                try await store.read {
                    try $0.forEachSearchableText(after: last, limit: TextSearch.piece) { builder.add($0) }
                }
            }
            last = index == nil ? try await read() : try await pace.run(commits: 0, read)
            guard begun == generation else { return nil }
        } while last != nil && builder.fits
        // Sorting takes long: where texts are read, not where requests are answered.
        let made = try await store.read { _ in builder.index() }
        return begun == generation ? Made(index: made) : nil
    }
}
