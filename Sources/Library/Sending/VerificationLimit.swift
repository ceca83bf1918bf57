package import Stories
import Synchronization

/// Limits the verification requests that a user can trigger, so that nobody's mailbox is flooded with them.
package final class VerificationLimit: Sendable {
    /// The maximum number of requests of a user within an hour.
    static let perHour = 20
    /// Above this number of users, those without a request in the last hour are removed.
    private static let kept = 10_000

    /// Creates a limit with no requests recorded.
    package init() {}

    /// The times of each user's requests.
    private let requests = Mutex<[UserID: [Timestamp]]>([:])

    /// Records a request; returns `false`, and records nothing, if the user is over the limit.
    package func allows(_ user: UserID, at now: Timestamp) -> Bool {
        requests.withLock { requests in
            let hourAgo = now.advanced(byMilliseconds: -3_600_000)
            if requests.count > VerificationLimit.kept {
                requests = requests.filter { $0.value.contains { $0 > hourAgo } }
            }
            let recent = requests[user, default: []].filter { $0 > hourAgo }
            guard recent.count < VerificationLimit.perHour else { return false }
            requests[user] = recent + [now]
            return true
        }
    }
}
