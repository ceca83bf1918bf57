package import Notifications
package import Storage
package import Stories

/// Reads one user's feed as they may see it, within one snapshot of the data.
package struct FeedReader {
    /// A page of a feed as its user may see it.
    package struct Page: Sendable {
        /// The items in the requested order; an item with nothing left to show is a tombstone.
        package var items: [FeedItem] = []
        /// The user's own stories among the announced ones, if a service is reading; empty otherwise.
        package var own: [Story] = []

        /// Creates a value from its parts.
        package init(items: [FeedItem] = [], own: [Story] = []) {
            self.items = items
            self.own = own
        }

        /// The items that still show something.
        package var shown: [FeedItem] { items.filter { $0.subject != .gone } }
    }

    package let viewer: Viewer
    package let settings: NotificationSettings
    private let user: UserID
    private let wording: FeedWording
    private let transaction: StoreReader

    /// Creates the reader of a user; returns `nil` if there is no such user.
    package init?(_ user: UserID, service: String?, wording: FeedWording, in transaction: StoreReader) throws {
        guard var viewer = try transaction.viewer(user) else { return nil }
        viewer.service = service
        self.viewer = viewer
        self.user = user
        self.wording = wording
        self.transaction = transaction
        settings = try transaction.notificationSettings(of: user)
    }

    /// Returns these items as the user may see them now.
    package func read(_ items: [FeedItem]) throws -> Page {
        let context = try FeedContext(for: items, viewer: viewer, preview: settings.preview, in: transaction)
        let shown = items.map { wording.visible($0, in: context) ?? $0.tombstone }
        // A message, such as the outcome of a batch, lists stories but reveals nothing about them.
        let told = Set(items.filter { !$0.isMessage }.flatMap { $0.content.map(\.id) })
        let own =
            viewer.service == nil
            ? [] : context.stories.values.filter { $0.owner == user && told.contains($0.id) }.sorted { $0.id < $1.id }
        return Page(items: shown, own: own)
    }

    /// Returns the numbers of unread and unseen notifications, up to ``FeedBadge/most``.
    package func badge() throws -> FeedBadge {
        try countUnread().badge(seen: try transaction.feedPosition(of: user).seen)
    }

    /// Returns the user's unread notifications in this snapshot, reading only the changes since `start`.
    ///
    /// If too much has changed or nothing is known, recounts from the newest up to ``UnreadNotices/capacity``.
    package func unread(since start: UnreadMemory.Start) throws -> UnreadNotices {
        let log = try transaction.feedPosition(of: user)
        guard var unread = start.unread, unread.position >= log.forgotten, unread.position <= log.latest else {
            return try countUnread()
        }
        let events =
            log.latest == unread.position
            ? [] : try transaction.feedEvents(of: user, after: unread.position, limit: FeedReader.mostEvents)
        guard events.count < FeedReader.mostEvents else { return try countUnread() }
        let ids = start.changed.union(events.compactMap(\.notice))
        let items = ids.isEmpty ? [:] : try transaction.notices(ids.sorted(), of: user)
        let context = try counting(Array(items.values))
        for event in events where event.detail == "all" {
            guard let last = event.notice.flatMap({ items[$0] }) else { return try countUnread() }
            unread.remove(upTo: last.position)
        }
        for id in ids.sorted() {
            unread.remove(id)
            guard let item = items[id], item.readAt == nil, item.archivedAt == nil, context.showsAnything(of: item)
            else { continue }
            unread.insert(item)
        }
        unread.position = log.latest
        return unread.isExhausted ? try countUnread() : unread
    }

    /// The number of new rows in the log at which everything is recounted.
    private static let mostEvents = 128

    private func countUnread() throws -> UnreadNotices {
        let position = try transaction.feedPosition(of: user).latest
        var counted: [FeedItem] = []
        var window = FeedWindow()
        (window.unreadOnly, window.limit) = (true, 100)
        while counted.count < UnreadNotices.capacity {
            let items = try transaction.notices(of: user, in: window)
            let context = try counting(items)
            counted += items.filter { context.showsAnything(of: $0) }
            guard items.count == window.limit, let last = items.last else {
                return UnreadNotices(counted, isWhole: true, position: position)
            }
            window.after = (last.createdAt, last.id)
        }
        return UnreadNotices(counted, isWhole: false, position: position)
    }

    private func counting(_ items: [FeedItem]) throws -> FeedContext {
        try FeedContext(counting: items, viewer: viewer, preview: settings.preview, in: transaction)
    }
}

@available(*, unavailable)
extension FeedReader: Sendable {}
