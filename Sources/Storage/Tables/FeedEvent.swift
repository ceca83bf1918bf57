public import Stories

/// One row of the log of a user's feed; live streams send these rows and resume after the last one sent.
public struct FeedEvent: Hashable, Sendable {
    /// The kind of event.
    public enum Kind: String, Hashable, Sendable {
        /// A notification was added.
        case notification
        /// One or more notifications were marked.
        case read
        /// The settings changed.
        case settings
    }

    /// The position in the user's log.
    public let position: Int64
    /// When it was written.
    public let at: Timestamp
    /// The kind of event.
    public let kind: Kind
    /// The notification concerned; the newest one if several were marked.
    public let notice: String?
    /// The marks the notification now has, `r` for read and `a` for archived, or `all` if several were marked; `nil`
    /// unless the event is ``Kind/read``.
    public let detail: String?
}

/// The extent of the log of a user's feed.
public struct FeedPosition: Hashable, Sendable {
    /// The position of the latest row; 0 before there is one.
    public let latest: Int64
    /// The last position that is no longer in the log; 0 if the log is complete.
    public let forgotten: Int64
    /// The position up to which the user has seen the feed.
    public let seen: Int64

    /// Creates a position; by default, that of a user without any notification.
    public init(latest: Int64 = 0, forgotten: Int64 = 0, seen: Int64 = 0) {
        self.latest = latest
        self.forgotten = forgotten
        self.seen = seen
    }
}

/// A selection from a feed.
public struct FeedWindow: Sendable {
    /// Whether to include only unread items.
    public var unreadOnly = false
    /// The types to include; all if empty.
    public var types: Set<String> = []
    /// Whether to include archived items.
    public var withArchived = false
    /// The item after which to start.
    public var after: (createdAt: Timestamp, id: String)?
    /// The maximum number of items, at least one.
    public var limit = 30

    /// Creates the window of the first page.
    public init() {}
}
