import Notifications
package import Storage
package import Stories

extension BatchService {
    /// Notifies a user of the outcome of a batch sent by their app (DLV-07), unless it changed nothing and nothing was
    /// rejected.
    ///
    /// `stories` are those created or changed; the notification opens those that still exist.
    package func announce(
        _ counts: [BatchOutcome.Kind: Int],
        stories: Set<StoryID>,
        of user: UserID,
        key: String,
        in transaction: StoreTransaction
    ) throws {
        func count(_ kinds: [BatchOutcome.Kind]) -> Int { kinds.reduce(0) { $0 + (counts[$1] ?? 0) } }
        let (taken, refused) = (count([.created, .updated, .deleted]), count([.refused, .conflict]))
        guard taken + refused > 0 else { return }
        let now = now()
        let left = try transaction.stories(stories.sorted(), withText: false).keys.sorted()
        let message = "waymark sync 1|\(user)|\(key)"
        let words = taken == 1 ? "1 change was accepted" : "\(taken) changes were accepted"
        let rejected = refused == 1 ? "1 was rejected" : "\(refused) were rejected"
        try feed.announce(
            FeedItem(
                id: feed.messageID(of: message),
                user: user,
                at: now,
                createdAt: now,
                subject: .message(
                    .init(
                        type: refused > 0 ? .syncFailed : .syncFinished,
                        details: ["taken": String(taken), "refused": String(refused)],
                        content: left.map { .init(id: $0, sourceID: nil) }
                    )
                ),
                title: refused > 0 ? "Not everything was synced" : "Synced",
                body: refused > 0 ? "\(words), \(rejected). Open the app to see why." : "\(words)."
            ),
            in: transaction
        )
    }
}
