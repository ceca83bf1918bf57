package import Notifications
package import Storage
package import Stories

/// The feeds of notifications: what is kept in them, as their readers may see it now.
package struct FeedService: Sendable {
    /// How many days live streams can be resumed.
    static let logDays: Int64 = 8

    /// What is unread in the feeds that were looked at lately.
    package let unread = UnreadMemory()
    /// Finds the words of notifications.
    package let wording: FeedWording
    package let context: StoreContext
    private let accesses: AccessLog

    /// Creates the service; `names` names points that no story has a name for.
    package init(_ context: StoreContext, accesses: AccessLog, names: some PlaceNaming & Sendable) {
        self.context = context
        self.accesses = accesses
        wording = FeedWording(names: names)
    }

    /// The reader of a user's feed, or of a service that looks through their eyes; `nil` when there is no such user.
    package func reader(
        of user: UserID,
        service: String? = nil,
        in transaction: StoreReader
    ) throws -> FeedReader? {
        try FeedReader(user, service: service, wording: wording, in: transaction)
    }

    /// A part of a user's feed as they may see it now, newest first.
    ///
    /// Stories that were closed, deleted or hidden by the user since are left out of their notification, and one that has
    /// no other is left out altogether. What changed since, such as a place, is worded as it is now.
    package func items(of user: UserID, service: String? = nil, in window: FeedWindow) async throws -> [FeedItem] {
        let (items, own, viewer) = try await context.store.read { [self] transaction in
            guard let reader = try reader(of: user, service: service, in: transaction) else {
                return ([FeedItem](), [Story](), Viewer.anonymous)
            }
            var (shown, own): ([FeedItem], [Story]) = ([], [])
            var part = window
            while shown.count < window.limit {
                let items = try transaction.notices(of: user, in: part)
                let page = try reader.read(items)
                shown += page.shown
                own += page.own
                guard items.count == window.limit, let last = items.last else { break }
                part.after = (last.createdAt, last.id)
            }
            return (Array(shown.prefix(window.limit)), own, reader.viewer)
        }
        // A notice stands at the exact point of one's own stories, at the published one of others.
        try await accesses.note(own, for: viewer)
        return items
    }

    /// One notification of a user as they may see it now; one of which nothing is left names nothing.
    ///
    /// - Throws: ``Refusal`` (404) when it is not theirs or not there.
    package func item(_ id: String, of user: UserID, service: String?) async throws -> FeedItem {
        let found = try await context.store.read { [self] transaction in
            try reader(of: user, service: service, in: transaction)
                .flatMap { reader in
                    try transaction.notice(id, of: user).map { (try reader.read([$0]), reader.viewer) }
                }
        }
        guard let (page, viewer) = found, let item = page.items.first else { throw Refusal.notFound }
        try await accesses.note(page.own, for: viewer)
        return item
    }

    /// Marks a notification of a user and returns it as they may see it.
    ///
    /// - Throws: ``Refusal`` (404) when it is not theirs or not there.
    package func mark(
        _ id: String,
        of user: UserID,
        service: String?,
        _ marks: StoreTransaction.FeedMarks
    ) async throws -> FeedItem {
        let now = context.now()
        guard try await context.store.write({ try $0.mark(id, of: user, marks, at: now) }) != nil else {
            throw Refusal.notFound
        }
        return try await item(id, of: user, service: service)
    }

    /// Forgets what the logs of feeds have of before ``logDays``.
    package func forgetEvents() async throws {
        let limit = Timestamp(milliseconds: context.clock.certain.milliseconds - FeedService.logDays * 86_400_000)
        _ = try await context.store.write { try $0.forgetFeedEvents(before: limit) }
    }

    /// Counts what a user has not read or not seen, of what they may see now.
    package func badge(of user: UserID) async throws -> FeedBadge {
        try await context.store.read { [self] transaction in
            try reader(of: user, in: transaction)?.badge() ?? FeedBadge()
        }
    }

    /// Counts the same as ``badge(of:)`` at the cost of what changed since somebody last looked.
    package func keptBadge(of user: UserID) async throws -> FeedBadge {
        // Before the view is taken: whatever is noted later, it may not have.
        let start = unread.start(user)
        let found = try await context.store.read { [self] transaction in
            try reader(of: user, in: transaction)
                .map { (unread: try $0.unread(since: start), seen: try transaction.feedPosition(of: user).seen) }
        }
        guard let found else { return FeedBadge() }
        unread.keep(found.unread, of: user, since: start)
        return found.unread.badge(seen: found.seen)
    }
}
