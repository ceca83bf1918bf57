public import Stories

/// One row of the log of a user's feed: what a live stream tells and resumes by.
public struct FeedEvent: Hashable, Sendable {
    /// What happened.
    public enum Kind: String, Hashable, Sendable {
        /// A notification came.
        case notification
        /// One or several were marked.
        case read
        /// The settings changed.
        case settings
    }

    /// Where it stands in the user's log.
    public let position: Int64
    /// When it was written.
    public let at: Timestamp
    /// What happened.
    public let kind: Kind
    /// The notification it is about; of several that were marked, the newest.
    public let notice: String?
    /// How it was marked.
    public let detail: String?
}

/// How far the log of a user's feed goes.
public struct FeedPosition: Hashable, Sendable {
    /// The position of the latest row; 0 before there is one.
    public let latest: Int64
    /// The last position that is not in the log any more; 0 when all are.
    public let forgotten: Int64
    /// Up to where the user has seen the feed.
    public let seen: Int64

    /// Creates a position; by itself, that of a user who was never told anything.
    public init(latest: Int64 = 0, forgotten: Int64 = 0, seen: Int64 = 0) {
        self.latest = latest
        self.forgotten = forgotten
        self.seen = seen
    }
}

/// What of a feed is wanted.
public struct FeedWindow: Sendable {
    /// Only what was not read.
    public var unreadOnly = false
    /// Only these types; all with none.
    public var types: Set<String> = []
    /// Also what was put away.
    public var withArchived = false
    /// Only what comes after this item.
    public var after: (createdAt: Timestamp, id: String)?
    /// The most items, at least one.
    public var limit = 30

    /// Creates the window of the first page.
    public init() {}
}
