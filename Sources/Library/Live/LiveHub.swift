package import Storage
package import Stories
import Synchronization

/// Wakes the clients of live streams; it holds no content.
///
/// After each commit it determines which clients to wake. The database is the source of truth: a client that is woken
/// reads the changes from it.
package final class LiveHub: Sendable {
    /// The subject of a stream.
    package enum Subject: Hashable, Sendable {
        /// The feed of a user.
        case feed
        /// A part of the map.
        case map
    }

    /// The maximum number of streams with the same subject per user.
    package static let mostOfUser = 5
    /// The maximum number of map streams: each change requires a check of every one.
    package static let mostOfMap = 2_048
    /// The maximum number of map streams per address: enough for a school or a company, but not the whole pool.
    package static let mostOfAddress = 128
    /// The maximum number of map streams per service, for all of its users.
    package static let mostOfService = 1_024
    /// The maximum number of anonymous map streams; the others are reserved for people with an account.
    package static let mostOfAnyone = 1_536
    /// The maximum number of log rows added while a piece is not accepted.
    package static let mostWaiting = 256
    /// The maximum time for a piece to be accepted, in milliseconds.
    package static let patience: Int64 = 30_000
    /// The number of ticks between two heartbeats of a client.
    package static let beat = 18

    private struct State: Sendable {
        var next = 0
        var tick = 0
        var feeds: [UserID: [LiveClient]] = [:]
        var maps: [Int: LiveClient] = [:]
        var mapShares = PlaceShares<LiveOwner.Holder>(most: LiveHub.mostOfMap, share: LiveHub.share(of:))
        var hasStories = false
        var views: Set<UserID> = []
        /// Whether all users may see different stories than before.
        var isEverybody = false
        var isEnding = false
    }

    private let state = Mutex(State())
    /// The single-use tickets that open a stream.
    package let tickets = LiveTickets()
    /// The digests of the parts of the map viewed recently.
    package let views = MapViews()

    /// Creates a hub without clients.
    package init() {}

    /// The number of open streams.
    package var count: Int { state.withLock { state in state.feeds.values.reduce(state.maps.count) { $0 + $1.count } } }

    /// Opens a stream, which stays open until the last reference to its seat is gone.
    ///
    /// - Throws: ``Refusal`` (429 or 503) if there are too many.
    package func open(_ subject: Subject, for owner: LiveOwner) throws -> Seat {
        let client = try state.withLock { state in
            switch subject {
            case .feed:
                let count = owner.user.flatMap { state.feeds[$0]?.count } ?? 0
                guard count < LiveHub.mostOfUser else { throw Refusal.tooManyStreams }
            case .map:
                if let refusal = state.mapShares.take(owner.holders) { throw Refusal.noStream(because: refusal) }
            }
            state.next += 1
            let client = LiveClient(owner: owner, number: state.next, slot: state.tick % LiveHub.beat)
            switch subject {
            case .feed: if let user = owner.user { state.feeds[user, default: []].append(client) }
            case .map: state.maps[client.number] = client
            }
            if state.isEnding { client.signal(.end) }
            return client
        }
        return Seat(hub: self, subject: subject, client: client)
    }

    private func close(_ subject: Subject, _ client: LiveClient) {
        state.withLock { state in
            switch subject {
            case .feed:
                guard let user = client.user else { return }
                state.feeds[user]?.removeAll { $0 === client }
                if state.feeds[user]?.isEmpty == true { state.feeds[user] = nil }
            case .map:
                state.maps[client.number] = nil
                state.mapShares.giveBack(client.owner.holders)
            }
        }
    }

    /// Returns the maximum number of map streams of a holder.
    private static func share(of holder: LiveOwner.Holder) -> Int {
        switch holder {
        case .user: mostOfUser
        case .service: mostOfService
        case .address: mostOfAddress
        case .anyone: mostOfAnyone
        }
    }

    /// Wakes the clients that a commit may concern; see ``StoryStore/onChange(_:)``.
    package func note(_ changes: StoreChange) {
        let (feeds, accesses) = state.withLock { state in
            state.hasStories = state.hasStories || changes.hasStories || changes.isEverything
            state.isEverybody = state.isEverybody || changes.isEverything
            if changes.isEverything {
                let clients = state.feeds.values.flatMap(\.self)
                return (clients.map { ($0, 0, true) }, clients + Array(state.maps.values))
            }
            state.views.formUnion(changes.views)
            let feeds = changes.feeds.flatMap { user, rows in
                (state.feeds[user] ?? []).map { ($0, rows, changes.withdrawals.contains(user)) }
            }
            var accesses: [LiveClient] = []
            for user in changes.accesses {
                accesses += state.feeds[user] ?? []
                if state.mapShares.count(of: .user(user)) > 0 {
                    accesses += state.maps.values.filter { $0.user == user }
                }
            }
            return (feeds, accesses)
        }
        for (client, rows, isWithdrawal) in feeds {
            if isWithdrawal { client.withdraw() }
            if client.noteRows(rows) { client.cutOff() } else { client.signal(.feed) }
        }
        for client in accesses { client.signal(.access) }
    }

    /// Sends heartbeats, cuts off clients that accept nothing, and signals map changes; called every second.
    ///
    /// Map changes wait for the next tick, so that only the clock determines when clients are notified of them.
    package func tick(at now: Timestamp) {
        let (feeds, maps, slot, hasStories, views, isEverybody) = state.withLock { state in
            state.tick += 1
            defer { (state.hasStories, state.views, state.isEverybody) = (false, [], false) }
            return (
                state.feeds.values.flatMap { $0 }, Array(state.maps.values), state.tick % LiveHub.beat,
                state.hasStories, state.views, state.isEverybody
            )
        }
        if hasStories { self.views.startAnew() }
        for client in feeds where !cutOffIfStuck(client, at: now) && client.slot == slot { client.signal(.beat) }
        for client in maps where !cutOffIfStuck(client, at: now) {
            var reasons: LiveClient.Reasons = client.slot == slot ? .beat : []
            if hasStories { reasons.insert(.map) }
            if isEverybody || client.user.map(views.contains) ?? false { reasons.insert(.view) }
            if !reasons.isEmpty { client.signal(reasons) }
        }
        tickets.dropOld(at: now)
    }

    private func cutOffIfStuck(_ client: LiveClient, at now: Timestamp) -> Bool {
        guard client.isStuck(at: now) else { return false }
        client.cutOff()
        return true
    }

    /// Returns for how long the slowest client has not accepted a piece, in milliseconds; 0 if no piece waits.
    package func longestWait(at now: Timestamp) -> Int64 {
        let clients = state.withLock { state in state.feeds.values.flatMap { $0 } + state.maps.values }
        return clients.reduce(0) { longest, client in max(longest, client.waits(at: now)) }
    }

    /// Whether all streams end because the service stops.
    package var isEnding: Bool { state.withLock(\.isEnding) }

    /// Ends all streams, including those opened later.
    package func endAll() {
        let clients = state.withLock { state in
            state.isEnding = true
            return state.feeds.values.flatMap { $0 } + state.maps.values
        }
        for client in clients { client.signal(.end) }
    }

    /// A client's place among the open streams, released with the last reference to this object.
    package final class Seat: Sendable {
        private let hub: LiveHub
        private let subject: Subject
        /// The client of the stream.
        package let client: LiveClient

        fileprivate init(hub: LiveHub, subject: Subject, client: LiveClient) {
            self.hub = hub
            self.subject = subject
            self.client = client
        }

        deinit { hub.close(subject, client) }
    }
}

extension Refusal {
    static let tooManyStreams = Refusal(
        .tooMany,
        "too-many-streams",
        "You already have \(LiveHub.mostOfUser) live streams, the maximum. Close one, or try again in half a minute.",
        retryAfter: 30
    )

    /// Returns the error for an owner who cannot open another map stream.
    fileprivate static func noStream(because refusal: PlaceShares<LiveOwner.Holder>.Refusal) -> Refusal {
        switch refusal {
        case .share(.user): tooManyStreams
        case .share(.address), .share(.service):
            Refusal(
                .tooMany,
                "too-many-streams",
                "Your network or service has reached its limit of live streams. Close one, or try again in half a "
                    + "minute.",
                retryAfter: 30
            )
        case .share(.anyone), .all: noMoreStreams
        }
    }

    static let noMoreStreams = Refusal(
        .unavailable,
        "streams-full",
        "The service cannot take another live stream at the moment. Poll the map at intervals instead.",
        retryAfter: 60
    )
}
