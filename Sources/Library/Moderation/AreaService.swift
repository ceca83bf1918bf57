import Storage
package import Stories

/// Manages the operator's sensitive areas.
package struct AreaService: StoreService {
    package let context: StoreContext
    package let feed: FeedService
    package let places: PlaceService

    /// Replaces the operator's list of sensitive areas and applies it to every story and named place.
    ///
    /// This is one transaction, and the map is updated once it commits. Stories that leave the areas are shown again at
    /// the precision chosen by their owners. Returns the number of stories whose maximum precision changed.
    ///
    /// - Throws: ``StoreError`` with code `refused` for an area whose edges cross; nothing is changed then.
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
            let known = Set(outdated.map(\.story))
            return try outdated.count + holdPlaces(at: now, in: transaction).count { !known.contains($0) }
        }
    }

    /// Applies the areas to the further places of stories; returns the stories that changed.
    private func holdPlaces(at now: Timestamp, in transaction: StoreTransaction) throws -> [StoryID] {
        let outdated = try transaction.outdatedPlaces()
        try feed.writeStories(in: transaction) { writes in
            for id in outdated {
                guard let old = try transaction.story(id) else { continue }
                var story = try transaction.heldToAreas(old)
                story.shownUpdatedAt = old.shownUpdatedAt
                story.touch(at: now, replacing: old)
                try writes.update(story, isEdit: false)
            }
        }
        return outdated
    }
}
