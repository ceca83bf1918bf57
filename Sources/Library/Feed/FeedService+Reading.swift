import Storage
package import Stories

// How far users have read their feeds.
extension FeedService {
    /// Marks a notification and all earlier ones as read, or all if `id` is `nil`; returns how many were unread.
    ///
    /// - Throws: ``Refusal``: not found if the user has no such notification.
    package func markAllRead(upTo id: String?, of user: UserID) async throws -> Int {
        let now = context.now()
        let count = try await context.store.write { try $0.markAllRead(upTo: id, of: user, at: now) }
        guard let count else { throw Refusal.notFound }
        return count
    }

    /// Records that a user has seen a notification and all earlier ones, which stay unread.
    ///
    /// - Throws: ``Refusal``: not found if the user has no such notification.
    package func markSeen(upTo id: String, by user: UserID) async throws {
        guard try await context.store.write({ try $0.markSeen(upTo: id, by: user) }) else { throw Refusal.notFound }
    }
}
