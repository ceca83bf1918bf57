import Stories
import StoryMap

/// The stories that were found for some words lately, so that a map does not have every text read again for each tile.
///
/// What was found for somebody holds as long as they see the same: the version of their layers is part of the question.
/// Whoever asks while another one looks for the same waits for that one.
actor WordSearches {
    /// What decides about the answer.
    struct Question: Hashable, Sendable {
        let words: [String]
        let viewer: Viewer
        let version: Digest
    }

    private struct Known {
        let question: Question
        let search: Task<StorySet, any Error>
        /// How many were found; those of a search that is under way count when it ends.
        var count = 0
    }

    /// The latest ones last.
    private var known: [Known] = []

    /// How many searches are remembered at most, and how many stories of all of them together.
    private static let limit = 64
    private static let storyLimit = 2_000_000

    /// What was found for a question, or what `search` finds now.
    ///
    /// The version in the question is to be taken before the search begins: it may find later changes, never fewer.
    func stories(
        _ question: Question,
        _ search: @escaping @Sendable () async throws -> Set<StoryID>
    ) async throws -> StorySet {
        if let index = known.firstIndex(where: { $0.question == question }) {
            let found = known.remove(at: index)
            known.append(found)
            return try await found.search.value
        }
        let task = Task { StorySet(try await search()) }
        known.append(Known(question: question, search: task))
        do {
            let found = try await task.value
            if let index = known.firstIndex(where: { $0.question == question }) { known[index].count = found.count }
            forget()
            return found
        } catch {
            known.removeAll { $0.question == question }
            throw error
        }
    }

    /// Forgets the oldest ones when there are too many.
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
