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
            _ = try MarkService.set(.favourite(isFavourite), on: id, for: user, at: now, in: transaction)
        }
    }

    /// Hides a story from all of a user's own views at once, or shows it again (PRV-06).
    ///
    /// - Throws: ``Refusal``: not found for a story the user may not see; a conflict for the user's own story or at the
    ///   maximum number of hidden stories.
    package func setHidden(_ isHidden: Bool, _ id: StoryID, for user: UserID) async throws {
        let now = now()
        try await store.write { transaction in
            _ = try MarkService.set(.hidden(isHidden), on: id, for: user, at: now, in: transaction)
        }
    }

    /// Records that a user viewed a story.
    ///
    /// - Throws: ``Refusal``: not found for a story the user may not see.
    package func noteViewed(_ id: StoryID, by user: UserID) async throws {
        let now = now()
        try await store.write { transaction in
            _ = try MarkService.set(.viewed, on: id, for: user, at: now, in: transaction)
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
