import Formats
import Crypto
package import Stories
import Synchronization

/// Tickets, each of which opens one stream within a minute, for clients that cannot send `Authorization` (EventSource).
///
/// A ticket stands for the credentials of the caller it was issued to, which are checked again when it is used. Only
/// its digest is kept, and only in memory: after a restart, clients request another.
package final class LiveTickets: Sendable {
    /// The lifetime of a ticket in seconds.
    package static let seconds: Int64 = 60
    /// The maximum number of tickets.
    private static let most = 20_000
    /// The maximum number of tickets of a user: a few for every stream they may have.
    package static let mostOfUser = 20
    /// The maximum number of tickets of an address, for all users together.
    package static let mostOfAddress = most / 16

    private struct Ticket: Sendable {
        let credentials: Credentials
        let holders: [LiveOwner.Holder]
        let end: Timestamp
    }

    private struct State: Sendable {
        var tickets: [[UInt8]: Ticket] = [:]
        var shares = PlaceShares<LiveOwner.Holder>(most: LiveTickets.most, share: LiveTickets.share(of:))
    }

    private let state = Mutex(State())

    /// Creates an empty collection of tickets.
    package init() {}

    /// Issues a ticket for these credentials and returns it with its expiry time.
    ///
    /// - Throws: ``Refusal`` (429) while `owner`, or all owners together, have too many unused tickets.
    package func issue(
        _ credentials: Credentials,
        for owner: LiveOwner,
        random: RandomSource,
        at now: Timestamp
    ) throws -> (text: String, end: Timestamp) {
        let text = Base64.encodeURL(random.bytes(24))
        let end = Timestamp(milliseconds: now.milliseconds + LiveTickets.seconds * 1_000)
        let holders = owner.holders
        let isKept = state.withLock { state in
            guard state.shares.take(holders) == nil else { return false }
            state.tickets[LiveTickets.digest(text)] = Ticket(credentials: credentials, holders: holders, end: end)
            return true
        }
        guard isKept else { throw Refusal.tooManyRequests(seconds: Int(LiveTickets.seconds)) }
        return (text, end)
    }

    /// Consumes a ticket and returns its credentials; `nil` if it was used, has expired or never existed.
    package func redeem(_ text: String, at now: Timestamp) -> Credentials? {
        let ticket = state.withLock { LiveTickets.take(LiveTickets.digest(text), from: &$0) }
        guard let ticket, now < ticket.end else { return nil }
        return ticket.credentials
    }

    /// Removes the expired tickets.
    package func dropOld(at now: Timestamp) {
        state.withLock { state in
            for (digest, ticket) in state.tickets where now >= ticket.end { _ = LiveTickets.take(digest, from: &state) }
        }
    }

    private static func take(_ digest: [UInt8], from state: inout State) -> Ticket? {
        guard let ticket = state.tickets.removeValue(forKey: digest) else { return nil }
        state.shares.giveBack(ticket.holders)
        return ticket
    }

    /// Returns the maximum number of tickets of a holder.
    private static func share(of holder: LiveOwner.Holder) -> Int {
        switch holder {
        case .user: mostOfUser
        case .address: mostOfAddress
        case .service, .anyone: most / 2
        }
    }

    private static func digest(_ text: String) -> [UInt8] { Array(SHA256.hash(data: Array(text.utf8))) }
}
