import Formats
import Crypto
import HTTPTypes
import Stories
import Synchronization

/// Tickets that open one stream each within a minute, for clients that cannot send `Authorization` (EventSource).
///
/// A ticket stands for the header fields of whoever got it, which are checked again when it is used; it is kept as a
/// digest, in memory alone: after a restart one gets another.
final class LiveTickets: Sendable {
    /// How long a ticket is good, in seconds.
    static let seconds: Int64 = 60
    /// The most that are kept.
    private static let most = 20_000

    private struct Ticket: Sendable {
        let fields: HTTPFields
        let end: Timestamp
    }

    private let tickets = Mutex<[[UInt8]: Ticket]>([:])

    /// Keeps a new ticket for these header fields and returns it with its end.
    ///
    /// - Throws: ``Problem`` (429) while there are too many that nobody used.
    func issue(
        _ fields: HTTPFields,
        random: RandomSource,
        at now: Timestamp
    ) throws -> (text: String, end: Timestamp) {
        let text = Base64.encodeURL(random.bytes(24))
        let end = Timestamp(milliseconds: now.milliseconds + LiveTickets.seconds * 1_000)
        let isKept = tickets.withLock { tickets in
            guard tickets.count < LiveTickets.most else { return false }
            tickets[LiveTickets.digest(text)] = Ticket(fields: fields, end: end)
            return true
        }
        guard isKept else { throw Problem.tooManyRequests(seconds: Int(LiveTickets.seconds)) }
        return (text, end)
    }

    /// Takes a ticket; `nil` for one that was used, has ended or never was.
    func redeem(_ text: String, at now: Timestamp) -> HTTPFields? {
        guard let ticket = tickets.withLock({ $0.removeValue(forKey: LiveTickets.digest(text)) }), now < ticket.end
        else { return nil }
        return ticket.fields
    }

    func dropOld(at now: Timestamp) {
        tickets.withLock { tickets in
            guard !tickets.isEmpty else { return }
            tickets = tickets.filter { now < $0.value.end }
        }
    }

    private static func digest(_ text: String) -> [UInt8] { Array(SHA256.hash(data: Array(text.utf8))) }
}
