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
