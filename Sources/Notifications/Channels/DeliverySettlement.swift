public import Stories

/// The part of an endpoint's history that determines when the next attempt is made.
public struct EndpointHealth: Hashable, Sendable {
    /// The number of consecutive failures.
    public private(set) var failures: Int
    /// The time of the first of these failures; `nil` if there are none.
    public private(set) var failingSince: Timestamp?
    /// The time until which no attempt is made.
    public private(set) var pausedUntil: Timestamp?

    /// Creates the health of an endpoint without attempts, or continues a stored one.
    public init(failures: Int = 0, failingSince: Timestamp? = nil, pausedUntil: Timestamp? = nil) {
        self.failures = failures
        self.failingSince = failingSince
        self.pausedUntil = pausedUntil
    }

    /// Records the outcome of an attempt that began at `begun`.
    public mutating func note(_ outcome: DeliveryOutcome, begun: Timestamp, at now: Timestamp) {
        var breaker = CircuitBreaker(failures: failures, probeAt: failures > 0 ? pausedUntil : nil)
        // An attempt that was under way when the endpoint asked for a pause does not end the pause.
        let pause = pausedUntil.flatMap { $0 > now ? $0 : nil }
        // An attempt that began before the first recorded failure belongs to the same outage: its failure is not
        // counted again.
        let isKnown = outcome.isFailure && failingSince.map { begun < $0 } ?? false
        if !outcome.isFailure { breaker.succeed() } else if !isKnown { breaker.fail(at: now) }
        failures = breaker.failures
        failingSince = breaker.failures == 0 ? nil : failingSince ?? now
        pausedUntil = [pause, breaker.probeAt].compactMap(\.self).max()
        if case .throttled(let until) = outcome { pausedUntil = max(until, pause ?? until) }
    }
}

/// An attempt that has ended.
public struct DeliveryAttempt: Hashable, Sendable {
    /// The kind of the channel.
    public let kind: ChannelKind
    /// When its entry was written.
    public let createdAt: Timestamp
    /// The time at which its entry expires.
    public let expiresAt: Timestamp?
    /// The number of the attempt for its entry, counted from 1.
    public let number: Int
    /// When it began.
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

/// The effect of an outcome on the entry and its channel.
public struct DeliverySettlement: Hashable, Sendable {
    /// The next state of the entry.
    public enum Entry: Hashable, Sendable {
        /// It was delivered.
        case done
        /// It is given up.
        case dead
        /// It is attempted again at this time.
        case again(at: Timestamp)
    }

    /// The reason that a channel is switched off.
    public enum End: String, CaseIterable, Hashable, Sendable {
        /// The endpoint reported that it no longer exists.
        case gone
        /// Nothing has been delivered for too long.
        case failing
    }

    /// The next state of the entry.
    public let entry: Entry
    /// The new health of the endpoint.
    public let health: EndpointHealth
    /// The reason to switch its channel off; `nil` if it stays on.
    public let end: End?
}

extension DeliveryRules {
    /// How long an endpoint may keep failing before its channel is switched off, in milliseconds: five days.
    public static let patience: Int64 = 5 * 86_400_000

    /// Returns the effect of an outcome; `generator` randomizes retry times, to spread the retries of many entries.
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
        case .uncertain:
            return DeliverySettlement(entry: .dead, health: health, end: isLost(health, now) ? .failing : nil)
        case .endpointGone: return DeliverySettlement(entry: .dead, health: health, end: .gone)
        case .throttled(let until):
            let age = now.milliseconds - attempt.createdAt.milliseconds
            // An entry is given up after enough time and attempts: otherwise an endpoint that keeps asking for pauses
            // would hold back all later entries.
            let isDead = age > patience && attempt.number >= retries.delays.count
            return DeliverySettlement(entry: isDead ? .dead : .again(at: until), health: health, end: nil)
        case .retry:
            let next = retries.next(afterAttempts: attempt.number, at: now, using: &generator)
                .flatMap { next in attempt.expiresAt.map { next < $0 } ?? true ? next : nil }
            return DeliverySettlement(
                entry: next.map { .again(at: $0) } ?? .dead,
                health: health,
                end: isLost(health, now) && isOfEndpoint(outcome, attempt.kind) ? .failing : nil
            )
        }
    }

    /// Returns whether an endpoint has failed for so long that its channel is switched off.
    private static func isLost(_ health: EndpointHealth, _ now: Timestamp) -> Bool {
        health.failingSince.map { now.milliseconds - $0.milliseconds > patience } ?? false
    }

    /// Returns whether a failure is the endpoint's fault, rather than that of the operator's keys or mail server.
    private static func isOfEndpoint(_ outcome: DeliveryOutcome, _ kind: ChannelKind) -> Bool {
        outcome.problem != .credentials && kind != .email
    }
}
