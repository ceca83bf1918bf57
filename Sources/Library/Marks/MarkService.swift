package import Storage
package import Stories

/// The marks that users put on stories for themselves: favourites, hidden and viewed ones.
package struct MarkService: StoreService {
    package let context: StoreContext

    /// Creates a value from its parts.
    package init(context: StoreContext) {
        self.context = context
    }

    /// Makes a story that a user sees one of their favourites, or takes it from them; nobody else learns of it.
    ///
    /// - Throws: ``Refusal``: not found for a story they may not see; a conflict for too many.
    package func setFavourite(_ isFavourite: Bool, _ id: StoryID, for user: UserID) async throws {
        let now = now()
        try await store.write { transaction in
            guard let viewer = try transaction.viewer(user), try transaction.story(id, visibleTo: viewer) != nil else {
                throw Refusal.notFound
            }
            guard isFavourite else { return try transaction.removeFavourite(id, of: user) }
            let isOneAlready = try !transaction.favourites(of: user, among: [id]).isEmpty
            guard try isOneAlready || transaction.favouriteCount(of: user) < StoryLimits.favouriteCount else {
                throw Refusal(
                    .conflict,
                    "too-many-favourites",
                    "You have \(StoryLimits.favouriteCount) favourites. Take some of them away first."
                )
            }
            try transaction.addFavourite(id, of: user, at: now)
        }
    }

    /// Hides a story from a user's own views, at once and everywhere, or shows it to them again (PRV-06).
    ///
    /// - Throws: ``Refusal``: not found for a story they may not see; a conflict for one's own story, or for too many.
    package func setHidden(_ isHidden: Bool, _ id: StoryID, for user: UserID) async throws {
        let now = now()
        try await store.write { transaction in
            let story = try MarkService.othersStory(id, seenBy: user, in: transaction, toDo: "hidden")
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

    /// Remembers that a user looked at a story that they see.
    ///
    /// - Throws: ``Refusal``: not found for a story they may not see.
    package func noteViewed(_ id: StoryID, by user: UserID) async throws {
        let now = now()
        try await store.write { transaction in
            guard let viewer = try transaction.viewer(user), try transaction.story(id, visibleTo: viewer) != nil else {
                throw Refusal.notFound
            }
            try transaction.noteViewed(id, by: user, at: now)
        }
    }

    /// A story of somebody else that a user sees; one's own cannot be hidden or reported.
    package static func othersStory(
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
