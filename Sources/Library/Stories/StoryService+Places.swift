import Storage
package import Stories

extension StoryService {
    /// Returns a further place with its story, as the viewer may see both; `nil` if there is no such place, or if the
    /// viewer may not see it or its story.
    package func place(_ id: StoryID, viewer: Viewer) async throws -> PlaceView? {
        let found = try await store.read { transaction -> PlaceView? in
            // Without the place, a story is looked for in vain, so that it takes as long as with one that is hidden.
            let known = try transaction.story(ofPlace: id) ?? id
            guard let story = try transaction.story(known, visibleTo: viewer),
                let place = story.places(for: viewer).first(where: { $0.id == id })
            else { return nil }
            return PlaceView(place: place, story: try StoryService.view(of: story, viewer: viewer, in: transaction))
        }
        if let found { try await accesses.note([found.story.story], for: viewer) }
        return found
    }
}
