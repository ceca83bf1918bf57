package import Notifications
package import Storage
import Stories

extension FeedService {
    /// Returns the id of a notification, or of a message in no feed: the same for the same reason.
    ///
    /// `reason` names the reason unambiguously. Without the key nobody can make or check an id.
    package func messageID(of reason: String) -> String {
        KeyedID.make(secret: context.store.keys[.ledger], message: Array(reason.utf8)).description
    }

    /// Writes a notification that is not about whereabouts, with its deliveries to the user's channels; returns whether it
    /// was written: not if they have switched its type off, or if it was written before.
    @discardableResult
    package func announce(_ item: FeedItem, in transaction: StoreTransaction) throws -> Bool {
        guard try transaction.notificationSettings(of: item.user).delivery.makes(item.subject.type),
            try transaction.notice(item.id, of: item.user) == nil
        else { return false }
        try transaction.insert(item, ledger: [])
        return true
    }
}
