package import Notifications
import Stories

/// Which of a user's notifications count as unread, at one position of their log.
///
/// It holds the newest only, so that its size does not depend on that of the feed: more than are ever counted, so that
/// reading one after the other seldom makes it count anew.
package struct UnreadNotices: Sendable {
    /// One that counts.
    ///
    /// A notification of which nothing may be seen is not here.
    private struct Entry: Sendable {
        let position: Int64
        /// Stands for the id, to hold it in eight bytes; good within this process alone.
        let mark: Int

        init(_ item: FeedItem) {
            position = item.position
            mark = Entry.mark(of: item.id)
        }

        static func mark(of id: String) -> Int { id.hashValue }
    }

    /// How many are held at most.
    package static let capacity = FeedBadge.most + 256

    /// How far in the log it goes.
    package var position: Int64
    /// In the order of their positions.
    private var entries: [Entry] = []
    /// Whether there is none besides.
    private var isWhole: Bool

    /// Creates one of what was counted, the newest up to ``capacity``; `isWhole` says that there is no other.
    package init(_ items: [FeedItem], isWhole: Bool, position: Int64) {
        self.position = position
        self.isWhole = isWhole && items.count <= UnreadNotices.capacity
        entries = items.map(Entry.init).sorted { $0.position < $1.position }.suffix(UnreadNotices.capacity)
    }

    /// How many are held.
    package var count: Int { entries.count }

    /// Whether too few are left to say how many there are.
    var isExhausted: Bool { !isWhole && entries.count < FeedBadge.most }

    /// What is counted of it, for somebody who has seen everything up to a position.
    package func badge(seen: Int64) -> FeedBadge {
        let counted = entries.suffix(FeedBadge.most)
        return FeedBadge(unread: counted.count, unseen: counted.reversed().prefix { $0.position > seen }.count)
    }

    /// Takes a notification out.
    package mutating func remove(_ id: String) {
        let mark = Entry.mark(of: id)
        entries.removeAll { $0.mark == mark }
    }

    /// Takes out everything up to a position.
    package mutating func remove(upTo position: Int64) {
        entries.removeFirst(entries.prefix { $0.position <= position }.count)
    }

    /// Takes a notification in that is not in it.
    package mutating func insert(_ item: FeedItem) {
        let entry = Entry(item)
        let index = entries.lastIndex { $0.position <= entry.position }.map { $0 + 1 } ?? 0
        // Of the older ones it does not hold all.
        guard index > 0 || isWhole else { return }
        entries.insert(entry, at: index)
        guard entries.count > UnreadNotices.capacity else { return }
        entries.removeFirst()
        isWhole = false
    }
}
