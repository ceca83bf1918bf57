import Storage
import Stories

extension StoryLibrary {
    /// Makes a story that a user sees one of their favourites, or takes it from them; nobody else learns of it.
    ///
    /// - Throws: ``Refusal``: not found for a story they may not see; a conflict for too many.
    func setFavourite(_ isFavourite: Bool, _ id: StoryID, for user: UserID) async throws {
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
}
