import Dispatch
import Synchronization

/// A message that the broker brought, which stays unacknowledged until it is settled.
package final class BrokerMessage: Sendable {
    /// What the broker is answered.
    package enum Verdict: Sendable {
        /// The message is acknowledged: everything that follows from it is stored, or it is of no use.
        case taken
        /// The message is not acknowledged; the broker sends it again.
        case again
    }

    /// The maximum size of a message in bytes.
    package static let mostBytes = 65_536
    /// The maximum size of a topic in bytes.
    static let mostTopicBytes = 1_024

    /// The topic, which may hold a secret.
    package let topic: String
    /// The content; `nil` if it is longer than ``mostBytes``.
    package let payload: [UInt8]?

    private let verdict = Mutex<Verdict?>(nil)
    private let settled = DispatchSemaphore(value: 0)

    /// Creates a message.
    package init(topic: String, payload: [UInt8]?) {
        self.topic = topic
        self.payload = payload
    }

    /// Decides what the broker is answered; only the first decision counts.
    package func settle(_ verdict: Verdict) {
        let isFirst = self.verdict.withLock { known in
            defer { known = known ?? verdict }
            return known == nil
        }
        if isFirst { settled.signal() }
    }

    /// Waits for the decision on the thread of libmosquitto, at most for `limit`, and no longer than `goesOn` is true.
    func wait(atMost limit: Duration, while goesOn: () -> Bool) -> Verdict {
        let end = ContinuousClock.now + limit
        while ContinuousClock.now < end, goesOn() {
            guard settled.wait(timeout: .now() + .milliseconds(100)) == .success else { continue }
            return verdict.withLock { $0 } ?? .again
        }
        // It may have been settled just before the session was stopped.
        return verdict.withLock { $0 } ?? .again
    }
}
