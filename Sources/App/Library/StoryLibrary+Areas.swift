import Storage
public import Stories
import StoryMap

extension StoryLibrary {
    /// Replaces the operator's list of sensitive areas and holds every story to it: one transaction, the map with it.
    ///
    /// Stories that leave the areas are shown as their owners chose. Returns how many stories are shown more or less
    /// exactly to somebody now.
    ///
    /// - Throws: ``StoreError`` with code `refused` for an area whose lines cross; nothing is changed then.
    /// - Complexity: O(*n*): some seconds for 100,000 stories.
    public func replaceAreas(
        _ areas: [SensitiveArea],
        progress: @escaping @Sendable (_ done: Int, _ total: Int) -> Void = { _, _ in }
    ) async throws -> Int {
        let now = now()
        return try await store.write { [self] transaction in
            try transaction.replaceAreas(areas)
            let ids = try transaction.storiesWithOldFloors()
            for start in stride(from: 0, to: ids.count, by: 400) {
                progress(start, ids.count)
                let part = Array(ids[start..<min(start + 400, ids.count)])
                let stories = try transaction.stories(part)
                var changed: [Story] = []
                for old in part.compactMap({ stories[$0] }) {
                    var story = try transaction.heldToAreas(old)
                    story.shownUpdatedAt = old.shownUpdatedAt
                    story.touch(at: now, replacing: old)
                    changed.append(try transaction.updateHeld(story, isMove: false))
                }
                transaction.afterCommit { [map, changed] in map.apply(changed.map { .put($0) }) }
            }
            return ids.count
        }
    }
}
