package import Notifications
package import Storage
package import Stories

/// Reads and writes the feeds of notifications; readers get stored items as they may see them now.
package struct FeedService: Sendable {
    /// The number of days for which live streams can be resumed.
    static let logDays: Int64 = 8

    /// The unread notifications of recently read feeds.
    package let unread = UnreadMemory()
    /// Writes the text of notifications.
    package let wording: FeedWording
    package let context: StoreContext
    let accesses: AccessLog

    /// Creates the service; `names` names points for which neither a named place nor a story has a name.
    package init(_ context: StoreContext, accesses: AccessLog, names: some PlaceNaming & Sendable) {
        self.context = context
        self.accesses = accesses
        wording = FeedWording(names: names)
    }

    /// Returns a reader of a user's feed, for the user or a service acting for them; `nil` if there is no such user.
    package func reader(
        of user: UserID,
        service: String? = nil,
        in transaction: StoreReader
    ) throws -> FeedReader? {
        try FeedReader(user, service: service, wording: wording, in: transaction)
    }

    /// Returns a page of a user's feed as they may see it now, newest first.
    ///
    /// Stories that have since been deleted or made private, or that the user has hidden, are left out of their
    /// notification; a notification whose stories are all left out is omitted. Data that has changed, such as a place,
    /// is worded as it is now.
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
        // A notice shows the exact point of the user's own stories, and the published point of others' stories.
        try await accesses.note(own, for: viewer)
        return items
    }

    /// Returns a notification of a user as they may see it now; a tombstone if nothing of it is left to show.
    ///
    /// - Throws: ``Refusal`` (404) if it does not exist or is not theirs.
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
    /// - Throws: ``Refusal`` (404) if it does not exist or is not theirs.
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

    /// Removes the rows of the log that are older than ``logDays``.
    package func forgetEvents() async throws {
        let limit = Timestamp(milliseconds: context.clock.certain.milliseconds - FeedService.logDays * 86_400_000)
        _ = try await context.store.write { try $0.forgetFeedEvents(before: limit) }
    }

    /// Counts the unread and unseen notifications that a user may see now.
    package func badge(of user: UserID) async throws -> FeedBadge {
        try await context.store.read { [self] transaction in
            try reader(of: user, in: transaction)?.badge() ?? FeedBadge()
        }
    }

    /// Returns the same counts as ``badge(of:)``, reading only the changes since the previous count.
    package func keptBadge(of user: UserID) async throws -> FeedBadge {
        // Read before the snapshot is taken, because the snapshot may lack changes that are noted later.
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
