package import Storage
package import Stories

/// Users' private marks on stories: favourites, hidden and viewed stories.
package struct MarkService: StoreService {
    package let context: StoreContext

    /// Creates a value from its parts.
    package init(context: StoreContext) {
        self.context = context
    }

    /// Adds a story to a user's favourites or removes it; nobody else can see this.
    ///
    /// - Throws: ``Refusal``: not found for a story the user may not see; a conflict at the maximum number of
    ///   favourites.
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
                    "You have \(StoryLimits.favouriteCount) favourites, the maximum. Remove some first."
                )
            }
            try transaction.addFavourite(id, of: user, at: now)
        }
    }

    /// Hides a story from all of a user's own views at once, or shows it again (PRV-06).
    ///
    /// - Throws: ``Refusal``: not found for a story the user may not see; a conflict for the user's own story or at the
    ///   maximum number of hidden stories.
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
                    "You have hidden \(StoryLimits.hiddenCount) stories, the maximum. Unhide some first."
                )
            }
            try transaction.hide(story.id, from: user, at: now)
        }
    }

    /// Records that a user viewed a story.
    ///
    /// - Throws: ``Refusal``: not found for a story the user may not see.
    package func noteViewed(_ id: StoryID, by user: UserID) async throws {
        let now = now()
        try await store.write { transaction in
            guard let viewer = try transaction.viewer(user), try transaction.story(id, visibleTo: viewer) != nil else {
                throw Refusal.notFound
            }
            try transaction.noteViewed(id, by: user, at: now)
        }
    }

    /// Returns a story of another owner that a user may see; the user's own stories cannot be hidden or reported.
    ///
    /// `verb` is the participle used in the error message, such as "hidden".
    ///
    /// - Throws: ``Refusal``: not found for a story the user may not see; a conflict for their own.
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
            throw Refusal(.conflict, "own-story", "Your own story cannot be \(verb).")
        }
        return story
    }
}
