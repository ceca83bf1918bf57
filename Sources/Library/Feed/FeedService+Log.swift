package import Notifications
package import Storage
package import Stories

/// The events of a feed after a position in its log, as its user may see them now.
package struct FeedLogPage: Sendable {
    /// One event.
    package struct Entry: Sendable {
        /// The content of an event.
        package enum Content: Sendable {
            /// A notification was added.
            case notification(FeedItem)
            /// One or more notifications were marked.
            case marks(FeedEvent)
            /// The settings changed; the current ones.
            case settings(NotificationSettings)
        }

        /// The position in the log.
        package let position: Int64
        package let content: Content
    }

    /// The position at which the page starts, if events before it are missing from the log; `nil` if none are.
    package fileprivate(set) var gap: Int64?
    /// The events that show something, in the order of the log.
    package fileprivate(set) var entries: [Entry] = []
    /// The position after the page, including events that show nothing.
    package fileprivate(set) var position: Int64
    /// Whether the log goes on after the page.
    package fileprivate(set) var isMore = false
    /// The numbers of unread and unseen notifications; `nil` if the log goes on.
    package fileprivate(set) var badge: FeedBadge?
    fileprivate var unread: UnreadNotices?
    fileprivate var own: [Story] = []
    fileprivate let viewer: Viewer
}

extension FeedService {
    /// The maximum number of events on a page of the log.
    private static let logPage = 64

    /// Reads the events of a user's feed after `position`, or after `resume` if there is none; without both, starts at
    /// the end of the log.
    ///
    /// If the log does not reach back to `resume`, or `resume` belongs to another copy of the database, there is a gap:
    /// the page starts at the end of the log. Returns `nil` if there is no such user. Accesses by a service are noted
    /// before the page is returned.
    package func log(
        of user: UserID,
        service: String?,
        after position: Int64?,
        resume: Int64?
    ) async throws -> FeedLogPage? {
        // Read before the snapshot is taken, because the snapshot may lack changes that are noted later.
        let start = unread.start(user)
        let page = try await context.store.read { [self] transaction -> FeedLogPage? in
            guard let reader = try reader(of: user, service: service, in: transaction) else { return nil }
            let known = try transaction.feedPosition(of: user)
            let wanted = position ?? resume ?? known.latest
            let hasGap = position == nil && (wanted < known.forgotten || wanted > known.latest)
            let first = hasGap ? known.latest : wanted
            var page = FeedLogPage(gap: hasGap ? first : nil, position: first, viewer: reader.viewer)
            try read(&page, of: user, with: reader, in: transaction)
            if !page.isMore {
                let counted = try reader.unread(since: start)
                page.unread = counted
                page.badge = counted.badge(seen: known.seen)
            }
            return page
        }
        guard let page else { return nil }
        if let counted = page.unread { unread.keep(counted, of: user, since: start) }
        try await accesses.note(page.own, for: page.viewer)
        return page
    }

    private func read(
        _ page: inout FeedLogPage,
        of user: UserID,
        with reader: FeedReader,
        in transaction: StoreReader
    ) throws {
        let events = try transaction.feedEvents(of: user, after: page.position, limit: FeedService.logPage)
        let items = try transaction.notices(events.filter { $0.kind == .notification }.compactMap(\.notice), of: user)
        let read = try reader.read(items.values.sorted { $0.id < $1.id })
        let shown = read.items.reduce(into: [:]) { $0[$1.id] = $1 }
        page.own = read.own
        page.isMore = events.count == FeedService.logPage
        for event in events {
            page.position = event.position
            guard let content = content(of: event, shown, reader.settings) else { continue }
            page.entries.append(FeedLogPage.Entry(position: event.position, content: content))
        }
    }

    /// Returns the content of an event; `nil` if it shows nothing, for instance places after an opt-out.
    private func content(
        of event: FeedEvent,
        _ items: [String: FeedItem],
        _ settings: NotificationSettings
    ) -> FeedLogPage.Entry.Content? {
        switch event.kind {
        case .notification:
            guard let item = event.notice.flatMap({ items[$0] }), settings.enabled || item.visit == nil else {
                return nil
            }
            return .notification(item)
        case .read: return .marks(event)
        case .settings: return .settings(settings)
        }
    }
}
