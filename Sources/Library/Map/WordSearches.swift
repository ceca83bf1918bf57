import Stories
import StoryMap

/// The results of recent word searches, so that a map does not read all texts again for each tile.
///
/// A result is valid while the viewer sees the same stories: the version of their layers is part of the question.
/// Callers with the same question at the same time share one search.
actor WordSearches {
    /// The input that determines the result.
    struct Question: Hashable, Sendable {
        let words: [String]
        let viewer: Viewer
        let version: Digest
        /// Whether the ranks are asked for too, which only lists need.
        let isRanked: Bool
    }

    /// The stories found, with their ranks if these were asked for.
    struct Matches: Sendable {
        let stories: StorySet
        let ranks: StoryRanks?
    }

    private struct Known {
        let question: Question
        let search: Task<Matches, any Error>
        /// The number of stories found; set when the search ends.
        var count = 0
    }

    /// The searches, the most recently used one last.
    private var known: [Known] = []

    /// The maximum number of searches remembered, and of stories in all of them together.
    private static let limit = 64
    private static let storyLimit = 2_000_000

    /// Returns the remembered result for a question; without one, runs `search` and remembers its result.
    ///
    /// The version in the question must be read before the search begins: the result may then include later changes,
    /// but misses no earlier ones.
    func matches(
        _ question: Question,
        _ search: @escaping @Sendable () async throws -> Matches
    ) async throws -> Matches {
        if let index = known.firstIndex(where: { $0.question == question }) {
            let found = known.remove(at: index)
            known.append(found)
            return try await found.search.value
        }
        let task = Task { try await search() }
        known.append(Known(question: question, search: task))
        do {
            let found = try await task.value
            if let index = known.firstIndex(where: { $0.question == question }) {
                known[index].count = found.stories.count * (found.ranks == nil ? 1 : 2)
            }
            forget()
            return found
        } catch {
            known.removeAll { $0.question == question }
            throw error
        }
    }

    /// Forgets the least recently used searches if there are too many.
    private func forget() {
        var sum = 0
        var kept = 0
        for search in known.reversed() {
            sum += search.count
            guard kept < WordSearches.limit, sum <= WordSearches.storyLimit || kept == 0 else { break }
            kept += 1
        }
        known.removeFirst(known.count - kept)
    }
}

extension WordSearches {
    /// Returns the stories the viewer may see whose texts contain all of the words; with `isRanked`, also their ranks.
    nonisolated func matches(
        of words: [String],
        viewer: Viewer,
        isRanked: Bool,
        in snapshot: MapSnapshot,
        by textSearch: TextSearch
    ) async throws -> Matches {
        let version = snapshot.version(for: viewer)
        let question = Question(words: words, viewer: viewer, version: version, isRanked: isRanked)
        let count = snapshot.storyCount
        return try await matches(question) {
            let found = try await textSearch.matches(of: words, viewer: viewer, among: count, isRanked: isRanked)
            return Matches(stories: StorySet(found.stories), ranks: found.ranks.map(StoryRanks.init))
        }
    }
}
