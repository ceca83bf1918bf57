package import Notifications
import Stories

/// The unread notifications of a user at one position of their log.
///
/// Holds at most the newest ``capacity``, so that its size does not depend on the size of the feed. This is more than a
/// badge counts, so marking notifications as read one after the other rarely requires a recount.
package struct UnreadNotices: Sendable {
    /// An unread notification.
    ///
    /// Notifications with nothing left to show are not included.
    private struct Entry: Sendable {
        let position: Int64
        /// A hash of the id, to hold it in eight bytes; valid only within this process.
        let mark: Int

        init(_ item: FeedItem) {
            position = item.position
            mark = Entry.mark(of: item.id)
        }

        static func mark(of id: String) -> Int { id.hashValue }
    }

    /// The maximum number of notifications held.
    package static let capacity = FeedBadge.most + 256

    /// The position in the log up to which it is current.
    package var position: Int64
    /// The notifications in order of their positions.
    private var entries: [Entry] = []
    /// Whether it includes all unread notifications.
    private var isWhole: Bool

    /// Creates a value that holds the newest ``capacity`` of these items; `isWhole` states that there are no others.
    package init(_ items: [FeedItem], isWhole: Bool, position: Int64) {
        self.position = position
        self.isWhole = isWhole && items.count <= UnreadNotices.capacity
        entries = items.map(Entry.init).sorted { $0.position < $1.position }.suffix(UnreadNotices.capacity)
    }

    /// The number of notifications held.
    package var count: Int { entries.count }

    /// Whether too few are left to determine the count.
    var isExhausted: Bool { !isWhole && entries.count < FeedBadge.most }

    /// Returns the badge of a user who has seen everything up to a position.
    package func badge(seen: Int64) -> FeedBadge {
        let counted = entries.suffix(FeedBadge.most)
        return FeedBadge(unread: counted.count, unseen: counted.reversed().prefix { $0.position > seen }.count)
    }

    /// Removes a notification.
    package mutating func remove(_ id: String) {
        let mark = Entry.mark(of: id)
        entries.removeAll { $0.mark == mark }
    }

    /// Removes all notifications up to a position.
    package mutating func remove(upTo position: Int64) {
        entries.removeFirst(entries.prefix { $0.position <= position }.count)
    }

    /// Adds a notification that is not included yet.
    package mutating func insert(_ item: FeedItem) {
        let entry = Entry(item)
        let index = entries.lastIndex { $0.position <= entry.position }.map { $0 + 1 } ?? 0
        // Unread notifications older than the first entry may be missing, so none may be added before it.
        guard index > 0 || isWhole else { return }
        entries.insert(entry, at: index)
        guard entries.count > UnreadNotices.capacity else { return }
        entries.removeFirst()
        isWhole = false
    }
}
