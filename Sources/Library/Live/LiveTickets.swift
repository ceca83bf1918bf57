import Formats
import Crypto
package import Stories
import Synchronization

/// Tickets that open one stream each within a minute, for clients that cannot send `Authorization` (EventSource).
///
/// A ticket stands for the credentials of the caller who got it. They are checked again when it is used. It is kept as
/// a digest, in memory alone: after a restart clients get another.
package final class LiveTickets: Sendable {
    /// How long a ticket is good, in seconds.
    package static let seconds: Int64 = 60
    /// The most that are kept.
    private static let most = 20_000
    /// The most that a user has at a time: a few for every stream they may have.
    package static let mostOfUser = 20
    /// The most that an address has at a time, of whatever users.
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

    /// Creates a place for tickets, without any.
    package init() {}

    /// Keeps a new ticket for these credentials and returns it with its end.
    ///
    /// - Throws: ``Refusal`` (429) while `owner` has, or all together have, too many that nobody used.
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

    /// Takes a ticket; `nil` for one that was used, has ended or never was.
    package func redeem(_ text: String, at now: Timestamp) -> Credentials? {
        let ticket = state.withLock { LiveTickets.take(LiveTickets.digest(text), from: &$0) }
        guard let ticket, now < ticket.end else { return nil }
        return ticket.credentials
    }

    /// Forgets the tickets that have ended.
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

    /// How many tickets a holder may have at a time.
    private static func share(of holder: LiveOwner.Holder) -> Int {
        switch holder {
        case .user: mostOfUser
        case .address: mostOfAddress
        case .service, .anyone: most / 2
        }
    }

    private static func digest(_ text: String) -> [UInt8] { Array(SHA256.hash(data: Array(text.utf8))) }
}
