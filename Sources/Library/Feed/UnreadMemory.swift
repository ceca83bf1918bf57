package import Storage
package import Stories
import Synchronization

/// The unread notifications of recently read feeds, updated by reading only those that an event concerns.
///
/// Each commit reports, before its caller is answered, which counts may have changed. Data read from a snapshot is
/// considered current as of just before the snapshot was taken: anything reported later is read again.
package final class UnreadMemory: Sendable {
    /// The state known before a snapshot is taken.
    package struct Start: Sendable {
        /// The unread notifications as of an earlier snapshot; `nil` if all must be counted.
        package var unread: UnreadNotices?
        /// The notifications that may have changed since.
        package var changed: Set<String> = []
        fileprivate var version: UInt64
    }

    private struct Known: Sendable {
        var unread: UnreadNotices?
        /// The notifications that may have changed, each with the version that reported it.
        var changed: [String: UInt64] = [:]
        /// The version at which everything was invalidated; data whose reading started before it is not kept.
        var voidUntil: UInt64
    }

    private struct State: Sendable {
        var version: UInt64 = 0
        var known: [UserID: Known] = [:]
        var count = 0
    }

    /// The maximum number of users, and of notifications of all users; beyond either, everything is forgotten.
    private static let mostUsers = 20_000
    private static let mostNotices = 1_000_000
    /// The maximum number of changed notifications of a user; beyond it, everything is recounted.
    private static let mostChanged = 64

    private let state = Mutex(State())

    /// Returns the known state of a user; call it before taking the snapshot.
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

    /// Keeps the data read from a snapshot taken after `start`, unless newer data is known.
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

    /// Records the possible changes of a commit; called before the caller of the commit is answered.
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

    /// Forgets everything.
    ///
    /// Increments the version, so that data from earlier snapshots, which lack later changes, is not kept.
    private static func forgetAll(_ state: inout State) {
        state.version += 1
        state.known = [:]
        state.count = 0
    }
}
