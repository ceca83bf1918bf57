import Storage
import Stories
import StoryMap

extension StoryLibrary {
    /// Hides a story from a user's own views, at once and everywhere, or shows it to them again (PRV-06).
    ///
    /// - Throws: ``Refusal``: not found for a story they may not see; a conflict for one's own story, or for too many.
    func setHidden(_ isHidden: Bool, _ id: StoryID, for user: UserID) async throws {
        let now = now()
        try await store.write { transaction in
            let story = try StoryLibrary.othersStory(id, seenBy: user, in: transaction, toDo: "hidden")
            guard isHidden else { return try transaction.unhide(story.id, from: user, at: now) }
            let hidden = try transaction.hiddenStories(of: user)
            guard hidden.count < StoryLimits.hiddenCount || hidden.contains(id) else {
                throw Refusal(
                    .conflict,
                    "too-many-hidden",
                    "You have hidden \(StoryLimits.hiddenCount) stories. Show some of them again first."
                )
            }
            try transaction.hide(story.id, from: user, at: now)
        }
    }

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

    /// A story of somebody else that a user sees; one's own cannot be hidden or reported.
    static func othersStory(
        _ id: StoryID,
        seenBy user: UserID,
        in transaction: StoreTransaction,
        toDo verb: String
    ) throws -> Story {
        guard let viewer = try transaction.viewer(user), let story = try transaction.story(id, visibleTo: viewer) else {
            throw Refusal.notFound
        }
        guard story.owner != user else {
            throw Refusal(.conflict, "own-story", "This is your own story; it cannot be \(verb) by you.")
        }
        return story
    }
}
