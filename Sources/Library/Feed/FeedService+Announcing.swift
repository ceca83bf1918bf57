package import Notifications
package import Storage
import Stories

extension FeedService {
    /// Returns the id of a notification, or of a message that appears in no feed; equal reasons have equal ids.
    ///
    /// `reason` must identify the reason unambiguously. The id is a keyed digest: without the key, nobody can create or
    /// check one.
    package func messageID(of reason: String) -> String {
        KeyedID.make(secret: context.store.keys[.ledger], message: Array(reason.utf8)).description
    }

    /// Writes a notification that does not concern the user's location, and enqueues it for the user's channels.
    ///
    /// Returns `false`, and writes nothing, if the user has switched off its type or if it was written before.
    @discardableResult
    package func announce(_ item: FeedItem, in transaction: StoreTransaction) throws -> Bool {
        guard try transaction.notificationSettings(of: item.user).delivery.makes(item.subject.type),
            try transaction.notice(item.id, of: item.user) == nil
        else { return false }
        try transaction.insert(item, ledger: [])
        return true
    }
}
