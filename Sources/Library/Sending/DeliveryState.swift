import Notifications
package import Observing
package import Storage
import Stories
import Synchronization

/// The state of delivery in this process: the attempts under way, the pace of each channel, and counts of outcomes.
package final class DeliveryState: Sendable {
    /// The limits of concurrent attempts, and the times that apply to them.
    struct Limits: Sendable {
        /// The maximum number of attempts to endpoints whose last attempt succeeded.
        var working = 192
        /// The number of attempts, to endpoints whose last attempt succeeded, that may last longer than ``patience``
        /// without using ``working`` slots.
        var slow = 768
        /// The time in milliseconds for which an attempt counts as ``working`` before it counts as ``slow``.
        var patience: Int64 = 2_000
        /// The maximum number of attempts to endpoints whose last attempt failed.
        var failing = 64
        /// The maximum number of attempts begun while their channel had another one under way: a few channels with
        /// thousands of entries that all stall at once cannot take every slot.
        var extra = 128
        /// The lease of an entry, in milliseconds; longer than any attempt lasts.
        var lease: Int64 = 60_000
    }

    let register: AttemptRegister
    /// The delivery window of each channel.
    let paces = DeliveryPaces()
    /// Wakes the workers.
    let bell = DeliveryBell()
    let limits = Limits()
    let retries = RetryPolicy()
    /// The outcomes that could not be stored yet.
    package let unstored = UnstoredOutcomes()
    /// The hosts that have accepted a message.
    let hosts = HostTrust()
    /// The outcomes since the start, for the metrics.
    private let counts = Mutex(Counts())

    private struct Counts: Sendable {
        /// The number of outcomes by channel kind and outcome.
        var outcomes: [ChannelKind: [String: Int]] = [:]
        /// The time from a notification to its acceptance, in seconds, by channel kind.
        var times: [ChannelKind: HistogramCounts] = [:]
    }

    init(register: AttemptRegister) { self.register = register }

    /// Returns how many more attempts may begin: `working` to endpoints whose last attempt succeeded, `failing` to the
    /// others and, among all of these, `extra` to channels that already have attempts under way.
    ///
    /// An endpoint that accepts a connection and never answers blocks nobody else for longer than ``Limits/patience``.
    func room(at now: Timestamp) -> (working: Int, failing: Int, extra: Int) {
        let counts = register.counts(slowBefore: now.advanced(byMilliseconds: -limits.patience))
        let working = limits.working - counts.quick - max(0, counts.slow - limits.slow)
        return (
            max(0, working), max(0, limits.failing - counts.failing), min(working, max(0, limits.extra - counts.extra))
        )
    }

    /// Calls off the attempts that a commit made obsolete, so that their delivery is decided anew, and wakes the
    /// workers when deliveries became due.
    func follow(_ change: StoreChange) {
        if change.hasDeliveries || !change.withdrawals.isEmpty { bell.ring() }
        guard register.isBusy else { return }
        let (stories, outdated) = (Set(change.stories.map(\.id)), change.outdatedAttempts)
        register.callOff { attempt in
            change.isEverything || outdated.users.contains(attempt.user) || outdated.channels.contains(attempt.channel)
                || !attempt.stories.isDisjoint(with: stories)
                || !attempt.stories.isDisjoint(with: outdated.stories[attempt.user] ?? [])
        }
    }

    /// The number of attempts under way.
    package var underWay: Int { register.count }

    /// Counts an outcome.
    func count(_ outcome: String, of kind: ChannelKind) {
        counts.withLock { $0.outcomes[kind, default: [:]][outcome, default: 0] += 1 }
    }

    /// Counts the time from a notification to its acceptance by the endpoint.
    func count(delivered milliseconds: Int64, of kind: ChannelKind) {
        counts.withLock {
            $0.times[kind, default: HistogramCounts(bounds: HistogramCounts.patient)]
                .observe(Double(milliseconds) / 1_000)
        }
    }

    /// Returns the metrics of the outbox.
    package func metrics(entries: [OutboxEntry.State: Int]) -> [MetricFamily] {
        let states = OutboxEntry.State.allCases
            .map { MetricFamily.Sample(Double(entries[$0] ?? 0), [.init("state", $0.rawValue)]) }
        let outcomes = counts.withLock(\.outcomes)
            .flatMap { kind, outcomes in
                outcomes.map { outcome, count in
                    let labels = [MetricFamily.Label("channel", kind.rawValue), .init("outcome", outcome)]
                    return MetricFamily.Sample(Double(count), labels)
                }
            }
            .sorted { $0.labels.lexicographicallyPrecedes($1.labels) }
        return [
            MetricFamily("waymark_outbox_entries", .gauge, "Outbox entries by state.", states),
            MetricFamily(
                "waymark_delivery_attempts_total",
                .counter,
                "Delivery attempts by channel and outcome since the start.",
                outcomes
            ),
            .gauge("waymark_delivery_under_way", Double(register.count), "Delivery attempts in progress."),
        ]
    }

    /// The times from notifications to their acceptance by the endpoint.
    package var times: MetricFamily {
        let times = counts.withLock(\.times).sorted { $0.key.rawValue < $1.key.rawValue }
        return MetricFamily(
            "waymark_delivery_seconds",
            .histogram,
            "The time from a notification to its acceptance by the endpoint, by kind of channel.",
            times.flatMap { $0.value.samples([.init("channel", $0.key.rawValue)]) }
        )
    }
}
