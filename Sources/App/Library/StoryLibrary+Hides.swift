import Storage
import Stories
import StoryMap

extension StoryLibrary {
    /// A page of the stories a user has hidden and may still see, newest first.
    func hiddenStories(_ window: ListWindow, user: UserID, viewer: Viewer) async throws -> StoryList {
        let hidden = try await store.read { try $0.hiddenStories(of: user) }
        let query = StoryQuery(viewer: viewer, among: StorySet(hidden))
        return try await maps.stories(window, query: query, marking: hidden)
    }
}
