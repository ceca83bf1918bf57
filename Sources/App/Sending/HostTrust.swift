import Notifications
package import Stories
import Synchronization
import Transport

/// How often a host is tried at which nothing has arrived yet: a user who names it in a channel need not own it.
///
/// Webhooks and e-mail addresses prove first that they want messages; a server of ntfy, Gotify or Apprise and a push
/// service show it by taking one.
package final class HostTrust: Sendable {
    /// How many attempts there may be at once, and in how many milliseconds that many come back.
    package static let attempts = (count: 30.0, span: Int64(3_600_000))

    private let buckets = TokenBuckets(
        unitsPerSecond: HostTrust.attempts.count * 1_000 / Double(HostTrust.attempts.span),
        burst: HostTrust.attempts.count
    )
    private let trusted = Mutex<Set<String>>([])

    package init() {}

    /// Counts an attempt at a host; returns `nil`, or when there may be another.
    package func wait(for host: String, at now: Timestamp) -> Timestamp? {
        guard !trusted.withLock({ $0.contains(host) }) else { return nil }
        return buckets.take(1, from: host, now: now.milliseconds)
            .map { now.advanced(byMilliseconds: Int64($0) * 1_000) }
    }

    /// Notes that a host took a message.
    package func trust(_ host: String) {
        trusted.withLock { hosts in
            if hosts.count >= 10_000 { hosts.removeAll() }
            hosts.insert(host)
        }
    }
}

extension ChannelTarget {
    /// The host of a channel whose owner was not asked for proof; `nil` for other kinds.
    var unaskedHost: String? {
        guard [.ntfy, .gotify, .apprise, .webPush].contains(kind), let text = fields["url"] ?? fields["endpoint"] else {
            return nil
        }
        return (try? OutboundURL(text))?.host
    }
}
