import Notifications
import Storage
import Stories

extension StoryLibrary {
    /// Tells a user what became of a batch that their app sent (DLV-07); not of one that changed nothing.
    func tellOfSync(
        _ counts: [BatchOutcome.Kind: Int],
        of user: UserID,
        key: String,
        in transaction: StoreTransaction
    ) throws {
        func count(_ kinds: [BatchOutcome.Kind]) -> Int { kinds.reduce(0) { $0 + (counts[$1] ?? 0) } }
        let (taken, refused) = (count([.created, .updated, .deleted]), count([.refused, .conflict]))
        guard taken + refused > 0 else { return }
        let now = now()
        let message = "waymark sync 1|\(user)|\(key)"
        let words = taken == 1 ? "1 change was taken" : "\(taken) changes were taken"
        let open = refused == 1 ? "1 was not: open the app to see why" : "\(refused) were not: open the app to see why"
        try tell(
            FeedItem(
                id: messageID(of: message),
                user: user,
                at: now,
                createdAt: now,
                subject: .message(
                    .init(
                        type: refused > 0 ? .syncFailed : .syncFinished,
                        details: ["taken": String(taken), "refused": String(refused)]
                    )
                ),
                title: refused > 0 ? "Not everything was synced" : "Synced",
                body: refused > 0 ? "\(words), \(open)." : "\(words)."
            ),
            in: transaction
        )
    }
}
