package import Notifications
package import Storage
package import Stories

// Stored notifications follow the things that they name: whoever changes or removes one of these calls here, in the same
// transaction.
extension FeedService {
    /// Takes a removed story out of all feeds: its title, its place and their names stand in the words of notifications.
    package func forget(_ story: StoryID, in transaction: StoreTransaction) throws {
        for item in try transaction.notices(tellingOf: story) {
            let context = try storedContext(of: item, in: transaction)
            try transaction.reword(item.id, of: item.user, as: wording.remaining(item, in: context))
        }
    }

    /// Words anew what feeds keep of a story that changed: the point that they name may be nobody's to know any more.
    ///
    /// What a reader does not see at the moment stays, to be filtered when it is read: it may be shown to them again.
    package func reword(_ story: StoryID, in transaction: StoreTransaction) throws {
        for item in try transaction.notices(tellingOf: story) {
            guard let viewer = try transaction.viewer(item.user) else { continue }
            let context = try storedContext(of: item, viewer: viewer, in: transaction)
            // By id: what is stored does not hold the source's ids, which an import gives its stories.
            guard let shown = wording.visible(item, in: context),
                shown.content.map(\.id) == item.content.map(\.id)
            else { continue }
            try transaction.reword(item.id, of: item.user, as: shown)
        }
    }

    /// Words anew notifications under the names of places, as if `gone` were removed.
    package func reword(_ items: [FeedItem], without gone: NamedPlace? = nil, in transaction: StoreTransaction) throws {
        for item in items {
            var context = try storedContext(of: item, namesTellers: false, in: transaction)
            if let gone { context = context.without(gone) }
            let left = wording.remaining(item, in: context)
            try transaction.reword(item.id, of: item.user, as: left, outdating: item.content.map(\.id))
        }
    }

    /// Words anew notifications under the name of a place that changed; `gone` is one about to be removed.
    ///
    /// Also those of stories that their reader does not see at the moment: nobody may know the name any more.
    package func reword(
        namedBy id: NamedPlaceID,
        without gone: NamedPlace? = nil,
        in transaction: StoreTransaction
    ) throws {
        try reword(try transaction.notices(namedBy: id), without: gone, in: transaction)
    }

    /// Takes an erased person's stories, places and name out of a notification of somebody else.
    ///
    /// Of an invitation it stays that there was one, and where it leads. The family's name goes as well: it can be that of
    /// its people.
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
                body: "An invitation was ended: an account it concerned was deleted."
            )
            return try transaction.reword(id, of: reader, as: reworded)
        }
        let context = try storedContext(of: item, viewer: viewer, namesTellers: false, in: transaction)
            .withoutEverything(of: owner)
        try transaction.replaceNotice(id, of: reader, by: wording.remaining(item, in: context))
    }

    /// The context of a stored notification; its reader may be gone already.
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
