import Storage
package import Stories

/// The sensitive areas of the operator.
package struct AreaService: StoreService {
    package let context: StoreContext
    package let feed: FeedService
    package let places: PlaceService

    /// Replaces the operator's list of sensitive areas and holds every story and named place to it.
    ///
    /// All of it is one transaction, which the map follows. Stories that leave the areas are shown as their owners
    /// chose. Returns how many stories are shown more or less exactly to somebody now.
    ///
    /// - Throws: ``StoreError`` with code `refused` for an area whose lines cross; nothing is changed then.
    /// - Complexity: O(*n*): some seconds for 100,000 stories.
    package func replace(
        _ areas: [SensitiveArea],
        progress: @escaping @Sendable (_ done: Int, _ total: Int) -> Void = { _, _ in }
    ) async throws -> Int {
        let now = now()
        return try await store.write { [self] transaction in
            try transaction.replaceAreas(areas)
            try places.holdNamedPlaces(at: now, in: transaction)
            let outdated = try transaction.outdatedFloors()
            for start in stride(from: 0, to: outdated.count, by: 2_000) {
                progress(start, outdated.count)
                let part = outdated[start..<min(start + 2_000, outdated.count)]
                let stories = try transaction.stories(part.map(\.story))
                try feed.writeStories(in: transaction) { writes in
                    for (id, floor) in part {
                        guard let old = stories[id] else { continue }
                        var story = old
                        story.location?.floor = floor
                        story.touch(at: now, replacing: old)
                        try writes.updateFloor(of: story)
                    }
                }
            }
            return outdated.count
        }
    }
}
