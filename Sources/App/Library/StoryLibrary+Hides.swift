import Storage
import Stories
import StoryMap

extension StoryLibrary {
    /// A page of the stories a user has hidden and may still see, newest first.
    func hiddenStoriesJSON(
        _ window: ListWindow,
        user: UserID,
        viewer: Viewer,
        nextLink: (ListCursor) -> String?
    ) async throws -> [UInt8] {
        let hidden = try await store.read { try $0.hiddenStories(of: user) }
        let query = StoryQuery(viewer: viewer, among: StorySet(hidden))
        return try await storiesJSON(window, query: query, marking: hidden, nextLink: nextLink)
    }
}
