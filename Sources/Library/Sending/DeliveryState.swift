import Notifications
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
    /// The number of outcomes since the start, by channel kind and outcome, for the metrics.
    private let counts = Mutex<[String: Int]>([:])

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
        if change.hasDeliveries { bell.ring() }
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
        counts.withLock { $0["\(kind.rawValue) \(outcome)", default: 0] += 1 }
    }

    /// Returns the metrics of the outbox in the Prometheus text format.
    package func metrics(entries: [OutboxEntry.State: Int]) -> String {
        var lines = [
            "# HELP waymark_outbox_entries Outbox entries by state.", "# TYPE waymark_outbox_entries gauge",
        ]
        for state in OutboxEntry.State.allCases {
            lines.append("waymark_outbox_entries{state=\"\(state.rawValue)\"} \(entries[state] ?? 0)")
        }
        lines.append("# HELP waymark_delivery_attempts_total Delivery attempts by channel and outcome since the start.")
        lines.append("# TYPE waymark_delivery_attempts_total counter")
        for (name, count) in counts.withLock({ $0 }).sorted(by: { $0.key < $1.key }) {
            let words = name.split(separator: " ")
            lines.append("waymark_delivery_attempts_total{channel=\"\(words[0])\",outcome=\"\(words[1])\"} \(count)")
        }
        lines.append("# HELP waymark_delivery_under_way Delivery attempts in progress.")
        lines.append("# TYPE waymark_delivery_under_way gauge")
        lines.append("waymark_delivery_under_way \(register.count)")
        return lines.joined(separator: "\n") + "\n"
    }
}
