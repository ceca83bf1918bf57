import Notifications
package import Stories
import Synchronization

/// Limits the attempts to hosts that have not accepted a message yet: a user who names a host need not own it.
///
/// Webhooks and e-mail addresses are verified first. A server of ntfy, Gotify or Apprise and a push service become
/// trusted when they accept a message.
package final class HostTrust: Sendable {
    /// The number of attempts allowed at once, and the milliseconds after which that many are allowed again.
    package static let attempts = (count: 30.0, span: Int64(3_600_000))

    private let buckets = TokenBuckets(
        unitsPerSecond: HostTrust.attempts.count * 1_000 / Double(HostTrust.attempts.span),
        burst: HostTrust.attempts.count
    )
    private let trusted = Mutex<Set<String>>([])

    /// Creates a limit that trusts no host.
    package init() {}

    /// Counts an attempt to a host; returns the time of the next allowed attempt if this one is not allowed, else
    /// `nil`.
    package func wait(for host: String, at now: Timestamp) -> Timestamp? {
        guard !trusted.withLock({ $0.contains(host) }) else { return nil }
        return buckets.take(1, from: host, now: now.milliseconds)
            .map { now.advanced(byMilliseconds: Int64($0) * 1_000) }
    }

    /// Records that a host accepted a message.
    package func trust(_ host: String) {
        trusted.withLock { hosts in
            if hosts.count >= 10_000 { hosts.removeAll() }
            hosts.insert(host)
        }
    }
}

extension ChannelTarget {
    /// The host of a channel of a kind that is not verified; `nil` for other kinds.
    var unverifiedHost: String? {
        [.ntfy, .gotify, .apprise, .webPush].contains(kind) ? host : nil
    }
}
