package import Storage
package import Stories

/// A mark that a user sets on a story for themselves.
package enum StoryMark: Hashable, Sendable {
    /// Whether it is a favourite.
    case favourite(Bool)
    /// Whether it is hidden from the user's own views.
    case hidden(Bool)
    /// That the user viewed it.
    case viewed
}

extension MarkService {
    /// Sets a mark within a transaction, and returns whether it was another before.
    ///
    /// - Throws: ``Refusal``: not found for a story the user may not see; a conflict for hiding the user's own story, or at
    ///   the maximum number of marks.
    package static func set(
        _ mark: StoryMark,
        on id: StoryID,
        for user: UserID,
        at now: Timestamp,
        in transaction: StoreTransaction
    ) throws -> Bool {
        switch mark {
        case .favourite(let isFavourite):
            try checkVisible(id, to: user, in: transaction)
            let isOne = try !transaction.favourites(of: user, among: [id]).isEmpty
            if isFavourite { try addFavourite(id, isOne: isOne, for: user, at: now, in: transaction) }
            if !isFavourite { try transaction.removeFavourite(id, of: user) }
            return isOne != isFavourite
        case .hidden(let isHidden):
            let story = try othersStory(id, seenBy: user, in: transaction, toDo: "hidden")
            let hidden = try transaction.hiddenStories(of: user)
            let isOne = hidden.contains(id)
            if isHidden {
                try hide(story.id, isOne: isOne, count: hidden.count, from: user, at: now, in: transaction)
            } else {
                try transaction.unhide(story.id, from: user, at: now)
            }
            return isOne != isHidden
        case .viewed:
            try checkVisible(id, to: user, in: transaction)
            guard try transaction.viewedStories(of: user, among: [id]).isEmpty else { return false }
            try transaction.noteViewed(id, by: user, at: now)
            return true
        }
    }

    private static func checkVisible(_ id: StoryID, to user: UserID, in transaction: StoreTransaction) throws {
        guard let viewer = try transaction.viewer(user), try transaction.story(id, visibleTo: viewer) != nil else {
            throw Refusal.notFound
        }
    }

    private static func addFavourite(
        _ id: StoryID,
        isOne: Bool,
        for user: UserID,
        at now: Timestamp,
        in transaction: StoreTransaction
    ) throws {
        guard try isOne || transaction.favouriteCount(of: user) < StoryLimits.favouriteCount else {
            throw Refusal(
                .conflict,
                "too-many-favourites",
                "You have \(StoryLimits.favouriteCount) favourites, the maximum. Remove some first."
            )
        }
        try transaction.addFavourite(id, of: user, at: now)
    }

    private static func hide(
        _ id: StoryID,
        isOne: Bool,
        count: Int,
        from user: UserID,
        at now: Timestamp,
        in transaction: StoreTransaction
    ) throws {
        guard count < StoryLimits.hiddenCount || isOne else {
            throw Refusal(
                .conflict,
                "too-many-hidden",
                "You have hidden \(StoryLimits.hiddenCount) stories, the maximum. Unhide some first."
            )
        }
        try transaction.hide(id, from: user, at: now)
    }
}
