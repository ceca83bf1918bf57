package import Notifications
package import Storage
package import Stories

// Keeps stored notifications consistent with the stories, places and people they name. Code that changes or removes one
// of these calls a function of this extension, in the same transaction.
extension FeedService {
    /// Removes a deleted story from all feeds, because its title, place and names are in the text of notifications.
    package func forget(_ story: StoryID, in transaction: StoreTransaction) throws {
        for item in try transaction.notices(tellingOf: story) {
            let context = try storedContext(of: item, in: transaction)
            try transaction.reword(item.id, of: item.user, as: wording.remaining(item, in: context))
        }
    }

    /// Rewords the notifications about a story that changed, because the point they name may no longer be visible.
    ///
    /// A notification stays unchanged if its reader cannot currently see one of its stories. It is filtered when it is
    /// read instead, because the reader may be able to see the story again later.
    package func reword(_ story: StoryID, in transaction: StoreTransaction) throws {
        for item in try transaction.notices(tellingOf: story) {
            guard let viewer = try transaction.viewer(item.user) else { continue }
            let context = try storedContext(of: item, viewer: viewer, in: transaction)
            // Compared by id, because the stored content lacks the source ids of imported stories.
            guard let shown = wording.visible(item, in: context),
                shown.content.map(\.id) == item.content.map(\.id)
            else { continue }
            try transaction.reword(item.id, of: item.user, as: shown)
        }
    }

    /// Rewords notifications that use the names of places, as if `gone` were already removed.
    package func reword(_ items: [FeedItem], without gone: NamedPlace? = nil, in transaction: StoreTransaction) throws {
        for item in items {
            var context = try storedContext(of: item, namesTellers: false, in: transaction)
            if let gone { context = context.without(gone) }
            let left = wording.remaining(item, in: context)
            try transaction.reword(item.id, of: item.user, as: left, outdating: item.content.map(\.id))
        }
    }

    /// Rewords the notifications that use the name of a place that changed; `gone` is a place about to be removed.
    ///
    /// Includes notifications about stories their reader does not currently see: the old name must not remain anywhere.
    package func reword(
        namedBy id: NamedPlaceID,
        without gone: NamedPlace? = nil,
        in transaction: StoreTransaction
    ) throws {
        try reword(try transaction.notices(namedBy: id), without: gone, in: transaction)
    }

    /// Removes an erased person's stories, places and name from another user's notification.
    ///
    /// For an invitation, only its existence and its link remain. The family's name is removed too, because it can be
    /// the surname of its members.
    package func forgetEverything(
        of owner: UserID,
        in id: String,
        of reader: UserID,
        in transaction: StoreTransaction
    ) throws {
        guard let viewer = try transaction.viewer(reader), let item = try transaction.notice(id, of: reader) else {
            return
        }
        if case .message(let message) = item.subject, message.details["invitation"] != nil {
            let reworded = item.reworded(
                item.subject,
                title: "Invitation",
                body: "An invitation is no longer valid because an account involved was deleted."
            )
            return try transaction.reword(id, of: reader, as: reworded)
        }
        let context = try storedContext(of: item, viewer: viewer, namesTellers: false, in: transaction)
            .withoutEverything(of: owner)
        try transaction.replaceNotice(id, of: reader, by: wording.remaining(item, in: context))
    }

    /// Returns the context of a stored notification, whose reader may already be gone.
    private func storedContext(
        of item: FeedItem,
        viewer: Viewer? = nil,
        namesTellers: Bool = true,
        in transaction: StoreTransaction
    ) throws -> FeedContext {
        try FeedContext(
            for: [item],
            viewer: try viewer ?? transaction.viewer(item.user) ?? Viewer(user: item.user),
            preview: try transaction.notificationSettings(of: item.user).preview,
            extent: .stored,
            namesTellers: namesTellers,
            in: transaction
        )
    }
}
