import Storage
package import Stories

// A collection as a trip: its stories in the order in which its owner tells them.
extension CollectionService {
    /// Returns the order that the owner of a collection gave its stories, including stories that the viewer may not see.
    ///
    /// - Throws: ``Refusal``: not found, also if the viewer may not see the collection.
    package func storyOrder(of id: CollectionID, visibleTo viewer: Viewer) async throws -> [StoryID] {
        try await store.read { transaction in
            guard try transaction.collection(id, visibleTo: viewer) != nil else { throw Refusal.notFound }
            return try transaction.storyOrder(of: id)
        }
    }

    /// Replaces the order of a collection's stories; those that are not named follow by date.
    ///
    /// - Throws: ``Refusal``: not found, also if the user may not see the collection; forbidden if it belongs to somebody
    ///   else; for a repeated story, and for one that the user does not see in the collection. Nothing changes then.
    package func order(_ stories: [StoryID], of id: CollectionID, by user: UserID) async throws {
        try await store.write { _ = try CollectionService.order(stories, of: id, by: user, in: $0) }
    }

    /// Replaces the order of a collection's stories within a transaction, and returns whether it was another before; see
    /// ``order(_:of:by:)``.
    static func order(
        _ stories: [StoryID],
        of id: CollectionID,
        by user: UserID,
        in transaction: StoreTransaction
    ) throws -> Bool {
        guard let viewer = try transaction.viewer(user),
            let collection = try transaction.collection(id, visibleTo: viewer)
        else { throw Refusal.notFound }
        guard collection.owner == user else { throw Refusal.forbidden }
        let contributors = collection.contributors(knownTo: viewer)
        let seen = try transaction.stories(stories, visibleTo: viewer)
        var known: Set<StoryID> = []
        let problems = stories.enumerated()
            .compactMap { index, story -> FieldProblem? in
                let field = "stories.\(index)"
                guard known.insert(story).inserted else {
                    return FieldProblem(field: field, message: "is there twice")
                }
                guard let found = seen[story], found.collection == collection.title,
                    contributors.contains(found.owner)
                else { return FieldProblem(field: field, message: "is not a story of this collection") }
                return nil
            }
        guard problems.isEmpty else { throw Refusal.body(problems) }
        guard try transaction.storyOrder(of: id) != stories else { return false }
        try transaction.saveStoryOrder(stories, of: id)
        return true
    }
}
