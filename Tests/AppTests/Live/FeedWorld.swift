import App
import Library
import Formats
import Notifications
import Storage
import Stories
import Synchronization

/// Notifications made for tests: they name no place and stand in the feed like all others.
enum FeedWorld: Sendable {
    private static let serial = Mutex(UInt64(0))

    /// Notifies a user and returns the id of the notification.
    static func tell(
        _ user: UserID,
        in library: StoryLibrary,
        title: String = "News",
        number: UInt64? = nil
    ) async throws -> String {
        let item = item(for: user, at: library.now(), title: title, number: number)
        try await library.store.write { transaction in
            try transaction.ensureUser(user, at: item.createdAt)
            try transaction.insert(item, ledger: [])
        }
        return item.id
    }

    /// A notification that was not told yet.
    ///
    /// Its id is made of `number`; without one, of a number that no other has in this process.
    static func item(
        for user: UserID,
        at now: Timestamp,
        title: String = "News",
        number: UInt64? = nil
    ) -> FeedItem {
        let number =
            number
            ?? serial.withLock { serial in
                serial += 1
                return serial
            }
        return FeedItem(
            id: StoryID(high: 0xFEED, low: number).description,
            user: user,
            at: now,
            createdAt: now,
            subject: .familyDeleted,
            title: title,
            body: "Something happened."
        )
    }
}
