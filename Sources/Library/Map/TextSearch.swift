package import Storage
package import Stories
package import StoryMap
import Synchronization

/// The stories found by words, with their ranks if these were asked for.
package struct TextMatches: Sendable {
    package let stories: Set<StoryID>
    package let ranks: [StoryID: UInt8]?
}

/// Searches the texts of stories: in memory once the index is built, in the database until then.
///
/// The index is built from the database, and changed stories are read again before the next search. A search misses
/// nothing that was on the map when it began.
package actor TextSearch {
    /// The changes since the index was last updated.
    private struct Changes {
        var stories: Set<StoryID> = []
        /// Whether there were too many changes to remember, so that the index must be rebuilt.
        var isEverything = false
    }

    /// The result of indexing all stories; the index is `nil` if it would be too large.
    private struct Made {
        let index: TextIndex?
    }

    private let store: StoryStore
    /// The secret by which words are hashed, and what returns the further names of places.
    private let means: (key: DigestKey, names: PlaceNames)
    /// The maximum number of stories indexed while a search waits, and of changed stories remembered.
    private let mostAtOnce: Int
    /// The maximum size of the index in bytes.
    private let memory: Int
    private nonisolated let changes = Mutex(Changes())

    private var index: TextIndex?
    /// Incremented whenever the index is dropped or rebuilt, to detect work that began before.
    private var generation = 0
    /// Whether the index would take too much memory, so that searches use the database.
    private var isTooLarge = false
    /// Whether to index many stories: worthwhile for a service, which searches often, but not for a command.
    private var isWanted = false
    private var making: Task<Void, any Error>?
    private var catchingUp: Task<Void, any Error>?
    /// The stories changed since the current build began.
    private var sinceMaking: Set<StoryID> = []
    /// Whether the current build may include data to be forgotten, so that another build must follow.
    private var mustMakeAgain = false
    private let pace: BackgroundPace

    /// The number of stories read at a time while an index is built.
    private static let piece = 2_000

    /// Creates a search in the stories of a store, with an index of at most `memory` bytes; `names` returns the names by
    /// which a place is found besides those that a story gives it.
    package init(
        store: StoryStore,
        key: DigestKey,
        names: @escaping PlaceNames = { _, _ in "" },
        mostAtOnce: Int = 20_000,
        memory: Int = 512 << 20,
        pace: BackgroundPace? = nil
    ) {
        self.pace = pace ?? BackgroundPace(store: store)
        self.store = store
        means = (key, names)
        self.mostAtOnce = mostAtOnce
        self.memory = memory
    }

    /// Follows a commit; call it before the changes become visible.
    package nonisolated func follow(_ change: StoreChange) {
        note(change.stories.map(\.id))
        if change.hidesAccount { forgetRemoved() }
    }

    /// Records changed stories; call it before the changes become visible.
    package nonisolated func note(_ stories: some Sequence<StoryID>) {
        changes.withLock { changes in
            guard !changes.isEverything else { return }
            changes.stories.formUnion(stories)
            guard changes.stories.count > mostAtOnce else { return }
            changes = Changes(isEverything: true)
        }
    }

    /// Returns the stories the viewer may see whose texts contain all of the folded `words`.
    ///
    /// See ``TextMatcher``. `count` is the approximate number of stories in the store: if they are few and there is no
    /// index, the search first waits until one is built. Only with `isRanked` are the ranks returned.
    package nonisolated func matches(
        of words: [String],
        viewer: Viewer,
        among count: Int,
        isRanked: Bool = false
    ) async throws -> TextMatches {
        if let index = try await currentIndex(count) {
            return await TextSearch.search(index, words, viewer, isRanked: isRanked)
        }
        let matcher = TextMatcher(words, viewer: viewer, names: means.names)
        let ranks = try await store.read { try $0.ranks(matcher, viewer: viewer) }
        return TextMatches(stories: Set(ranks.keys), ranks: isRanked ? ranks : nil)
    }

    /// Searches the index off the threads that answer other requests.
    @concurrent
    private static func search(
        _ index: TextIndex,
        _ words: [String],
        _ viewer: Viewer,
        isRanked: Bool
    ) async -> TextMatches {
        guard isRanked else {
            return TextMatches(stories: index.stories(containing: words, viewer: viewer), ranks: nil)
        }
        let ranks = index.ranks(of: words, viewer: viewer)
        return TextMatches(stories: Set(ranks.keys), ranks: ranks)
    }

    /// Whether searches are answered from memory.
    package var isReady: Bool { index != nil }

    /// The size of the index in memory, in bytes.
    package var memoryUsed: Int { index?.memory ?? 0 }

    /// Rebuilds the index to remove texts that are no longer in the database and must not outlive their stories.
    ///
    /// The current index continues to answer meanwhile. It does not find deleted stories, but contains their words
    /// until it is replaced. Call this once the texts are deleted from the database, or hidden in it.
    package nonisolated func forgetRemoved() {
        Task { await makeAgain() }
    }

    private func makeAgain() {
        if making != nil { mustMakeAgain = true } else if index != nil { _ = startMaking() }
    }

    /// Waits until no index is being built.
    package func settle() async throws {
        while let making { try await making.value }
    }

    /// Drops the index if too much has changed; the results of builds and updates in progress are then discarded.
    private func dropIfOutdated() {
        guard changes.withLock({ $0.isEverything }) else { return }
        index = nil
        generation += 1
        making = nil
        mustMakeAgain = false
        changes.withLock { $0 = Changes() }
    }

    /// Builds the index for any number of stories, and keeps it up to date from now on.
    package func prepare() async throws {
        isWanted = true
        if index == nil, !isTooLarge { try await startMaking().value }
    }

    /// Returns the index with all changes recorded so far, or `nil` if there is none.
    private func currentIndex(_ count: Int) async throws -> TextIndex? {
        // Usually one round, or two if an update was in progress. If stories change all the time, the database answers.
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

    /// Updates the index with all changes recorded so far.
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

    /// Starts rebuilding the index, unless a build is in progress.
    private func startMaking() -> Task<Void, any Error> {
        if let making { return making }
        // An index in use still needs the recorded changes.
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
        // Changes that are just being applied to the previous index are applied to this one too.
        generation += 1
        making = nil
        note(sinceMaking)
        guard mustMakeAgain else { return }
        mustMakeAgain = false
        if index != nil { _ = startMaking() }
    }

    /// Reads all stories in pieces; stories that change meanwhile are recorded and read again.
    ///
    /// Returns `nil` if the build is no longer needed. While another index answers, the build runs slowly.
    private func readAll(_ begun: Int) async throws -> Made? {
        let builder = TextIndexBuilder(key: means.key, memory: memory, names: means.names)
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
        // Sorting takes long, so it runs on a thread of the database, not on one that answers requests.
        let made = try await store.read { _ in builder.index() }
        return begun == generation ? Made(index: made) : nil
    }
}
