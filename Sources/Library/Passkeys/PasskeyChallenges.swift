import Passkeys
import Stories
import Synchronization

/// Gives out challenges for passkeys, and lets each be answered once.
///
/// A challenge that is only asked for takes no memory: see ``ChallengeTicket``. Those that were answered rightly are
/// remembered until they expire, and only owners of passkeys can answer rightly. A wrong answer uses nothing up: it does
/// not become right by being repeated.
package final class PasskeyChallenges: Sendable {
    /// The maximum number of answered challenges that are remembered, within five minutes.
    static let most = 100_000

    private struct State: Sendable {
        /// The key of the tickets, drawn when the first is asked for; those of an earlier run are void.
        var key: [UInt8] = []
        /// When the challenges expire that were answered.
        var answered: [[UInt8]: Timestamp] = [:]
        /// The number of them from which on expired ones are removed.
        var limit = 1_000
    }

    private let state = Mutex(State())

    /// Returns the key under which tickets are sealed.
    func key(random: RandomSource) -> [UInt8] {
        state.withLock { state in
            if state.key.isEmpty { state.key = random.bytes(32) }
            return state.key
        }
    }

    /// Takes an answered challenge, once.
    ///
    /// - Throws: ``Refusal``: gone if it was taken before; unavailable if too many were.
    func take(_ ticket: ChallengeTicket, at now: Timestamp) throws {
        try state.withLock { state in
            guard state.answered[ticket.challenge] == nil else { throw Refusal.usedChallenge }
            if state.answered.count >= state.limit {
                state.answered = state.answered.filter { now < $0.value }
                state.limit = max(1_000, 2 * state.answered.count)
            }
            guard state.answered.count < PasskeyChallenges.most else {
                throw Refusal(.unavailable, "too-busy", "Too many people are signing in. Try again in a few minutes.")
            }
            state.answered[ticket.challenge] = ticket.expiresAt
        }
    }
}

extension Refusal {
    /// A challenge was answered before.
    static let usedChallenge = Refusal(
        .gone,
        "passkey-used",
        "This answer of your passkey was used already. Try again."
    )
}
