import Web
package import Library
import Storage
package import Stories

/// The live stream of one user's feed: their log from a position on, with current visibility.
package struct FeedStream: LiveStream {
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
    /// An invalid id gets a position beyond the end of every log, so that the client is notified of a gap and reloads.
    package static func position(ofID id: String?) -> Int64? {
        guard let id, !id.isEmpty else { return nil }
        return Int64(id).flatMap { $0 >= 0 ? $0 : nil } ?? .max
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
    /// Returns the new position; `nil` if the stream must end.
    @concurrent private func tell(
        after start: Int64?,
        _ shown: inout FeedBadge?,
        to sink: inout any PieceSink
    ) async throws -> Int64? {
        var position = start
        while true {
            let withdrawals = client.withdrawals
            guard
                let page = try await library.feed.log(of: user, service: service, after: position, resume: resume)
            else { return nil }
            let bytes = FeedStream.bytes(of: page, shown: shown)
            // Content withdrawn since it was read would otherwise be sent after the withdrawal was answered.
            guard client.beginSending(withdrawals, at: library.clock.lasting) else { continue }
            if !bytes.isEmpty { try await sink.send(bytes) }
            client.endSending()
            guard !client.isCut else { return nil }
            position = page.position
            if let badge = page.badge { shown = badge }
            if !page.isMore { return position }
        }
    }

    /// Returns the events of a page, and the badge unless `shown` is the same.
    private static func bytes(of page: FeedLogPage, shown: FeedBadge?) -> [UInt8] {
        var bytes: [UInt8] = []
        if let gap = page.gap { EventText.append("gap", id: "\(gap)", data: Array("{}".utf8), to: &bytes) }
        for entry in page.entries {
            let (name, data) =
                switch entry.content {
                case .notification(let item): (FeedEvent.Kind.notification, FeedJSON.item(item))
                case .marks(let event): (.read, FeedJSON.marks(event))
                case .settings(let settings): (.settings, FeedJSON.settings(settings))
                }
            EventText.append(name.rawValue, id: "\(entry.position)", data: data, to: &bytes)
        }
        if let badge = page.badge, badge != shown {
            EventText.append("badge", id: "\(page.position)", data: FeedJSON.badge(badge), to: &bytes)
        }
        return bytes
    }
}
