import Web
package import Library
import Formats
import Notifications
import Storage
package import Stories

/// The live stream of one user's feed: their log from a position on, with current visibility.
package struct FeedStream: LiveStream {
    /// The maximum number of log rows read at a time.
    private static let batch = 64

    package let library: StoryLibrary
    let user: UserID
    /// The service that reads on the user's behalf.
    let service: String?
    package let client: LiveClient
    /// The position to resume after; `nil` to start with new events.
    let resume: Int64?
    /// Whether the token is still valid.
    package let isGood: @Sendable () async -> Bool

    /// Creates a stream.
    package init(
        library: StoryLibrary,
        user: UserID,
        service: String? = nil,
        client: LiveClient,
        resume: Int64?,
        isGood: @escaping @Sendable () async -> Bool
    ) {
        self.library = library
        self.user = user
        self.service = service
        self.client = client
        self.resume = resume
        self.isGood = isGood
    }

    /// Returns the position in an event's id; `nil` without one.
    ///
    /// An invalid id lies beyond every end, so that its client is notified of a gap and reloads.
    package static func position(ofID id: String?) -> Int64? {
        guard let id, !id.isEmpty else { return nil }
        return Int64(id).flatMap { $0 >= 0 ? $0 : nil } ?? .max
    }

    /// Data read from a feed at one moment.
    private struct Part: Sendable {
        var bytes: [UInt8] = []
        var position: Int64
        var isMore = false
        var badge: FeedBadge?
        var unread: UnreadNotices?
        var own: [Story] = []
        var viewer: Viewer
    }

    /// The progress of a client.
    package struct Progress: Sendable {
        fileprivate var position: Int64
        fileprivate var shown: FeedBadge?
    }

    @concurrent package func begin(to sink: inout any PieceSink) async throws -> Progress? {
        var shown: FeedBadge?
        guard let position = try await tell(after: nil, &shown, to: &sink) else { return nil }
        return Progress(position: position, shown: shown)
    }

    @concurrent package func tell(
        _ reasons: LiveClient.Reasons,
        _ progress: Progress,
        to sink: inout any PieceSink
    ) async throws -> Progress? {
        guard !reasons.isDisjoint(with: [.feed, .end]) else { return progress }
        var progress = progress
        guard let next = try await tell(after: progress.position, &progress.shown, to: &sink) else { return nil }
        progress.position = next
        return progress
    }

    /// Sends everything after a position, and the badge if it changed.
    ///
    /// Returns the new position, `nil` at the end.
    @concurrent private func tell(
        after start: Int64?,
        _ shown: inout FeedBadge?,
        to sink: inout any PieceSink
    ) async throws -> Int64? {
        var position = start
        while true {
            let withdrawals = client.withdrawals
            guard let part = try await read(after: position, shown: shown) else { return nil }
            try await library.accesses.note(part.own, for: part.viewer)
            // Content withdrawn since it was read would otherwise be sent after the withdrawal was answered.
            guard client.beginSending(withdrawals, at: library.clock.lasting) else { continue }
            if !part.bytes.isEmpty { try await sink.send(part.bytes) }
            client.endSending()
            guard !client.isCut else { return nil }
            position = part.position
            if let badge = part.badge { shown = badge }
            if !part.isMore { return position }
        }
    }

    private func read(after position: Int64?, shown: FeedBadge?) async throws -> Part? {
        // Read before the view is taken: the view may lack anything recorded later.
        let start = library.feed.unread.start(user)
        let part: Part? = try await library.store.read { [self] transaction in
            guard let reader = try library.feed.reader(of: user, service: service, in: transaction) else {
                return nil
            }
            return try read(after: position, shown: shown, since: start, reader, in: transaction)
        }
        if let unread = part?.unread { library.feed.unread.keep(unread, of: user, since: start) }
        return part
    }

    private func read(
        after position: Int64?,
        shown: FeedBadge?,
        since start: UnreadMemory.Start,
        _ reader: FeedReader,
        in transaction: StoreReader
    ) throws -> Part {
        let known = try transaction.feedPosition(of: user)
        var part = Part(position: position ?? resume ?? known.latest, viewer: reader.viewer)
        if position == nil, resume != nil, part.position < known.forgotten || part.position > known.latest {
            // The events since are no longer in the log, or the position belongs to another copy of the database.
            part.position = known.latest
            EventText.append("gap", id: "\(known.latest)", data: Array("{}".utf8), to: &part.bytes)
        }
        let events = try transaction.feedEvents(of: user, after: part.position, limit: FeedStream.batch)
        let items = try transaction.notices(events.filter { $0.kind == .notification }.compactMap(\.notice), of: user)
        let page = try reader.read(items.values.sorted { $0.id < $1.id })
        part.own = page.own
        let shownItems = page.items.reduce(into: [:]) { $0[$1.id] = $1 }
        for event in events {
            part.position = event.position
            if let data = data(of: event, shownItems, reader.settings) {
                EventText.append(event.kind.rawValue, id: "\(event.position)", data: data, to: &part.bytes)
            }
        }
        part.isMore = events.count == FeedStream.batch
        if !part.isMore {
            let unread = try reader.unread(since: start)
            part.unread = unread
            let badge = unread.badge(seen: known.seen)
            if badge != shown {
                part.badge = badge
                EventText.append("badge", id: "\(part.position)", data: FeedJSON.badge(badge), to: &part.bytes)
            }
        }
        return part
    }

    /// Returns the data of a log row; `nil` if there is nothing to send, for instance of locations after an opt-out.
    private func data(
        of event: FeedEvent,
        _ items: [String: FeedItem],
        _ settings: NotificationSettings
    ) -> [UInt8]? {
        switch event.kind {
        case .notification:
            guard let item = event.notice.flatMap({ items[$0] }), settings.enabled || item.visit == nil else {
                return nil
            }
            return FeedJSON.item(item)
        case .read: return FeedJSON.marks(event)
        case .settings: return FeedJSON.settings(settings)
        }
    }
}
