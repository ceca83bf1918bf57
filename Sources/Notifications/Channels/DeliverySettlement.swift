public import Stories

/// How an endpoint has answered so far, as far as it decides when the next attempt is made.
public struct EndpointHealth: Hashable, Sendable {
    /// Straight failures so far.
    public private(set) var failures: Int
    /// Since when it fails; `nil` while it does not.
    public private(set) var failingSince: Timestamp?
    /// Until when nothing is tried.
    public private(set) var pausedUntil: Timestamp?

    /// Creates the health of an endpoint that was never tried, or continues a stored one.
    public init(failures: Int = 0, failingSince: Timestamp? = nil, pausedUntil: Timestamp? = nil) {
        self.failures = failures
        self.failingSince = failingSince
        self.pausedUntil = pausedUntil
    }

    /// Notes what came of an attempt that was begun at `begun`.
    public mutating func note(_ outcome: DeliveryOutcome, begun: Timestamp, at now: Timestamp) {
        var breaker = CircuitBreaker(failures: failures, probeAt: failures > 0 ? pausedUntil : nil)
        // An attempt that was under way when the end asked for patience does not end that.
        let pause = pausedUntil.flatMap { $0 > now ? $0 : nil }
        // One outage counts once, however many attempts it met.
        let isKnown = outcome.isFailure && failingSince.map { begun < $0 } ?? false
        if !outcome.isFailure { breaker.succeed() } else if !isKnown { breaker.fail(at: now) }
        failures = breaker.failures
        failingSince = breaker.failures == 0 ? nil : failingSince ?? now
        pausedUntil = [pause, breaker.probeAt].compactMap(\.self).max()
        if case .throttled(let until) = outcome { pausedUntil = max(until, pause ?? until) }
    }
}

/// An attempt that has come to an end.
public struct DeliveryAttempt: Hashable, Sendable {
    /// What the channel is.
    public let kind: ChannelKind
    /// When its entry was written.
    public let createdAt: Timestamp
    /// From when its entry is of no use any more.
    public let expiresAt: Timestamp?
    /// The attempt's number among those of its entry, from 1.
    public let number: Int
    /// When it was begun.
    public let begun: Timestamp

    /// Creates an attempt.
    public init(kind: ChannelKind, createdAt: Timestamp, expiresAt: Timestamp?, number: Int, begun: Timestamp) {
        self.kind = kind
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.number = number
        self.begun = begun
    }
}

/// What an outcome means for the entry and for its channel.
public struct DeliverySettlement: Hashable, Sendable {
    /// What becomes of the entry.
    public enum Entry: Hashable, Sendable {
        /// It arrived.
        case done
        /// It is given up.
        case dead
        /// It is tried again then.
        case again(at: Timestamp)
    }

    /// Why a channel is switched off.
    public enum End: String, CaseIterable, Hashable, Sendable {
        /// Its endpoint says that it is no longer there.
        case gone
        /// Nothing has arrived for too long.
        case failing
    }

    /// What becomes of the entry.
    public let entry: Entry
    /// How the endpoint is from now on.
    public let health: EndpointHealth
    /// Why its channel is to be switched off; `nil` when it is not.
    public let end: End?
}

extension DeliveryRules {
    /// For how long an endpoint may fail before it is switched off, in milliseconds: five days.
    public static let patience: Int64 = 5 * 86_400_000

    /// Returns what the outcome of an attempt means; `generator` spreads the retries of many.
    public static func settle(
        _ outcome: DeliveryOutcome,
        of attempt: DeliveryAttempt,
        at health: EndpointHealth,
        retries: RetryPolicy,
        now: Timestamp,
        using generator: inout some RandomNumberGenerator
    ) -> DeliverySettlement {
        var health = health
        health.note(outcome, begun: attempt.begun, at: now)
        switch outcome {
        case .delivered: return DeliverySettlement(entry: .done, health: health, end: nil)
        case .rejected: return DeliverySettlement(entry: .dead, health: health, end: nil)
        case .endpointGone: return DeliverySettlement(entry: .dead, health: health, end: .gone)
        case .throttled(let until):
            let age = now.milliseconds - attempt.createdAt.milliseconds
            // Patience has an end too: an end that asks for it for ever holds everything behind this back.
            let isDead = age > patience && attempt.number >= retries.delays.count
            return DeliverySettlement(entry: isDead ? .dead : .again(at: until), health: health, end: nil)
        case .retry:
            let next = retries.next(afterAttempts: attempt.number, at: now, using: &generator)
                .flatMap { next in attempt.expiresAt.map { next < $0 } ?? true ? next : nil }
            let isLost = health.failingSince.map { now.milliseconds - $0.milliseconds > patience } ?? false
            return DeliverySettlement(
                entry: next.map { .again(at: $0) } ?? .dead,
                health: health,
                end: isLost && isOfEndpoint(outcome, attempt.kind) ? .failing : nil
            )
        }
    }

    /// Whether a failure is its endpoint's: not when the operator's keys or mail server are at fault.
    private static func isOfEndpoint(_ outcome: DeliveryOutcome, _ kind: ChannelKind) -> Bool {
        outcome.problem != .credentials && kind != .email
    }
}
