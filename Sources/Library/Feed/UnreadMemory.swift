package import Storage
package import Stories
import Synchronization

/// What is unread in the feeds that were looked at lately, so that one more event costs a look at that one alone.
///
/// Each commit says whose count may be another now, before anybody is answered. What was read from a view of the data
/// counts as known from before that view was taken on: whatever is noted after that is looked at again.
package final class UnreadMemory: Sendable {
    /// What is known before a view of the data is taken.
    package struct Start: Sendable {
        /// What was unread at the end of an earlier view; `nil` when everything is to be counted.
        package var unread: UnreadNotices?
        /// The notifications that may count otherwise since.
        package var changed: Set<String> = []
        fileprivate var version: UInt64
    }

    private struct Known: Sendable {
        var unread: UnreadNotices?
        /// Which notifications may count otherwise, each with the version that said so.
        var changed: [String: UInt64] = [:]
        /// Up to which version nothing that was read holds any more.
        var voidUntil: UInt64
    }

    private struct State: Sendable {
        var version: UInt64 = 0
        var known: [UserID: Known] = [:]
        var count = 0
    }

    /// For how many users, and how many notifications of all of them together, it is remembered.
    private static let mostUsers = 20_000
    private static let mostNotices = 1_000_000
    /// From how many changed notifications on everything is counted anew.
    private static let mostChanged = 64

    private let state = Mutex(State())

    /// What is known of a user; to be asked before the view of the data is taken.
    package func start(_ user: UserID) -> Start {
        state.withLock { state in
            guard let known = state.known[user] else {
                if state.known.count >= UnreadMemory.mostUsers { UnreadMemory.forgetAll(&state) }
                state.known[user] = Known(voidUntil: state.version)
                return Start(unread: nil, version: state.version)
            }
            return Start(unread: known.unread, changed: Set(known.changed.keys), version: state.version)
        }
    }

    /// Keeps what was read from a view taken after `start`, unless more is known by now.
    package func keep(_ unread: UnreadNotices, of user: UserID, since start: Start) {
        state.withLock { state in
            guard var known = state.known[user], known.voidUntil <= start.version,
                known.unread.map({ $0.position <= unread.position }) ?? true
            else { return }
            state.count += unread.count - (known.unread?.count ?? 0)
            known.unread = unread
            known.changed = known.changed.filter { $0.value > start.version }
            state.known[user] = known
            if state.count > UnreadMemory.mostNotices { UnreadMemory.forgetAll(&state) }
        }
    }

    /// Notes what a commit may have changed, before whoever wrote is answered.
    package func note(_ changes: StoreChange) {
        state.withLock { state in
            state.version += 1
            let version = state.version
            if changes.isEverything { UnreadMemory.forgetAll(&state) }
            for user in changes.recounts.union(changes.accesses) { UnreadMemory.void(user, in: &state) }
            for (user, notices) in changes.retold where state.known[user] != nil {
                for notice in notices { state.known[user]?.changed[notice] = version }
                if state.known[user]?.changed.count ?? 0 > UnreadMemory.mostChanged {
                    UnreadMemory.void(user, in: &state)
                }
            }
        }
    }

    private static func void(_ user: UserID, in state: inout State) {
        guard let known = state.known[user] else { return }
        state.count -= known.unread?.count ?? 0
        state.known[user] = Known(voidUntil: state.version)
    }

    /// Views that were taken before know nothing of what is noted from here on: what they find is not kept.
    private static func forgetAll(_ state: inout State) {
        state.version += 1
        state.known = [:]
        state.count = 0
    }
}
