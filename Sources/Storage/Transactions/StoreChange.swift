public import Stories
import Synchronization

/// Attempts to deliver that were decided on by what held before a commit; they are called off and decided anew.
public struct OutdatedAttempts: Sendable {
    /// All of a user's, who changed what they want or may know.
    public internal(set) var users: Set<UserID> = []
    /// All to a channel that was switched off or removed.
    public internal(set) var channels: Set<String> = []
    /// A user's about stories of which they were notified in other words.
    public internal(set) var stories: [UserID: Set<StoryID>] = [:]

    var isEmpty: Bool { users.isEmpty && channels.isEmpty && stories.isEmpty }
}

/// What one commit changed, recorded by the writers of rows themselves.
///
/// It is all that leaves a commit: the map, the search of texts, attempts to deliver and live streams follow it. Of feeds it
/// says whom to look at again, never what there is to see.
public struct StoreChange: Sendable {
    /// The stories that were stored or removed, in the order of the writes.
    public internal(set) var stories: [StoryEvent] = []
    /// Attempts under way that must not go on.
    public internal(set) var outdatedAttempts = OutdatedAttempts()
    /// Whether texts that an index in memory may hold are hidden with their account.
    public internal(set) var hidesAccount = false
    /// Whether rows were removed whose bytes the log still holds.
    var hasRemovals = false
    /// Whose feed may look otherwise, and how many rows their log of it has more.
    public internal(set) var feeds: [UserID: Int] = [:]
    /// Whose feed may show less than before, or other words: what was read of it before the commit is not to be sent.
    public internal(set) var withdrawals: Set<UserID> = []
    /// Who may see other stories than before without any story having changed: by families, hides, marks, collections.
    public internal(set) var views: Set<UserID> = []
    /// Notifications of which more or less may be seen than before, or which are gone, by whose they are.
    public internal(set) var retold: [UserID: Set<String>] = [:]
    /// Whose whole feed may hold other notifications than before.
    public internal(set) var recounts: Set<UserID> = []
    /// Whose tokens and keys may be good no longer.
    public internal(set) var accesses: Set<UserID> = []
    /// Whether any story came, went or changed.
    public internal(set) var hasStories = false
    /// Whether a channel may have something to send sooner than before.
    public internal(set) var hasDeliveries = false

    /// Whether anything may be another than before: another program has written.
    public internal(set) var isEverything = false

    /// Whether there is nothing to look at.
    public var isEmpty: Bool {
        feeds.isEmpty && withdrawals.isEmpty && views.isEmpty && accesses.isEmpty && !hasStories
            && !hasDeliveries && !isEverything && stories.isEmpty && outdatedAttempts.isEmpty && !hidesAccount
            && !hasRemovals
    }
}

/// Passes commits on to their listener.
final class ChangeSignal: Sendable {
    /// Holds the closure as a field.
    ///
    /// Right in a `Mutex` it would be wrapped once more, and for good, by every look at it: each commit would cost more
    /// than the one before.
    private struct Listener: Sendable {
        let hear: @Sendable (StoreChange) -> Void
    }

    private let listener = Mutex<Listener?>(nil)
    /// Whether rows were removed whose bytes the log still holds.
    let hasRemovals = Mutex(false)

    func listen(_ body: @escaping @Sendable (StoreChange) -> Void) {
        let new = Listener(hear: body)
        listener.withLock { $0 = new }
    }

    func send(_ changes: StoreChange) {
        guard !changes.isEmpty else { return }
        if changes.hasRemovals { hasRemovals.withLock { $0 = true } }
        listener.withLock { $0 }?.hear(changes)
    }
}

extension StoreTransaction {
    /// Notes that a user's feed may look otherwise, with so many more rows in its log.
    func noteFeed(of user: UserID, rows: Int = 0) { afterCommit.changes.feeds[user, default: 0] += rows }

    /// Notes that something of a user's feed may be gone or worded otherwise.
    func noteWithdrawal(from user: UserID) {
        noteFeed(of: user)
        afterCommit.changes.withdrawals.insert(user)
    }

    /// Notes that more or less may be seen of one notification of a user, or that it is gone.
    func noteRetelling(_ notice: String, to user: UserID) {
        noteWithdrawal(from: user)
        afterCommit.changes.retold[user, default: []].insert(notice)
    }

    /// Notes that any number of a user's notifications may be others or gone.
    func noteRecount(of user: UserID) {
        noteWithdrawal(from: user)
        afterCommit.changes.recounts.insert(user)
    }

    /// Notes that a user may see other stories than before, in the feed and on the map.
    func noteView(of user: UserID) {
        noteRecount(of: user)
        afterCommit.changes.views.insert(user)
    }

    /// Notes that the tokens or keys of a user may be good no longer.
    func noteAccess(of user: UserID) { afterCommit.changes.accesses.insert(user) }

    /// Notes that rows were removed whose bytes the log still holds.
    func noteRemoval() { afterCommit.changes.hasRemovals = true }

    /// Notes that attempts to deliver to a user were decided on by what holds no longer.
    func noteOutdatedAttempts(of user: UserID) { afterCommit.changes.outdatedAttempts.users.insert(user) }

    /// Notes that anything may be another than it was: another program has written.
    public func noteEverything() { afterCommit.changes.isEverything = true }
}
