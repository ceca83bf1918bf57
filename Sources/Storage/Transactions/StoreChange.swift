public import Stories
import Synchronization

/// Delivery attempts based on a state from before a commit; they are cancelled and decided again.
public struct OutdatedAttempts: Sendable {
    /// All attempts to users who changed their settings or may see less.
    public internal(set) var users: Set<UserID> = []
    /// All attempts to channels that were switched off or removed.
    public internal(set) var channels: Set<String> = []
    /// Attempts to notify a user of stories whose notifications have been reworded.
    public internal(set) var stories: [UserID: Set<StoryID>] = [:]

    var isEmpty: Bool { users.isEmpty && channels.isEmpty && stories.isEmpty }
}

/// The changes of one commit, recorded by the functions that write the rows.
///
/// This is all that listeners learn about a commit: the map, text search, delivery attempts and live streams are
/// updated from it. For feeds it names the users to check again, never the content.
public struct StoreChange: Sendable {
    /// The stories stored or removed, in write order.
    public internal(set) var stories: [StoryEvent] = []
    /// Attempts in progress that must not continue.
    public internal(set) var outdatedAttempts = OutdatedAttempts()
    /// Whether texts that an in-memory index may hold are hidden together with their account.
    public internal(set) var hidesAccount = false
    /// Whether rows were removed whose bytes are still in the log.
    var hasRemovals = false
    /// The users whose feed may have changed, with the number of rows added to the feed's log.
    public internal(set) var feeds: [UserID: Int] = [:]
    /// The users whose feed may show less or be worded differently; data read from it before the commit must not be
    /// sent.
    public internal(set) var withdrawals: Set<UserID> = []
    /// The users who may see different stories although no story changed: because of families, hides, favourites or
    /// collections.
    public internal(set) var views: Set<UserID> = []
    /// Notifications that now show more or less, or are gone, by user.
    public internal(set) var retold: [UserID: Set<String>] = [:]
    /// The users whose whole feed may contain different notifications.
    public internal(set) var recounts: Set<UserID> = []
    /// The users whose tokens and keys may no longer be valid.
    public internal(set) var accesses: Set<UserID> = []
    /// Whether any story was added, removed or changed.
    public internal(set) var hasStories = false
    /// Whether a channel may have something to send earlier than before.
    public internal(set) var hasDeliveries = false

    /// Whether anything may have changed, because another program has written.
    public internal(set) var isEverything = false

    /// Whether nothing changed.
    public var isEmpty: Bool {
        feeds.isEmpty && withdrawals.isEmpty && views.isEmpty && accesses.isEmpty && !hasStories
            && !hasDeliveries && !isEverything && stories.isEmpty && outdatedAttempts.isEmpty && !hidesAccount
            && !hasRemovals
    }
}

/// Keeps a store's listener; the store lets go of it when this is let go.
///
/// The listener itself usually holds the store, so a store that kept it for good would never be closed.
public final class ChangeListening: Sendable {
    private let signal: ChangeSignal
    private let number: Int

    init(signal: ChangeSignal, number: Int) {
        self.signal = signal
        self.number = number
    }

    deinit { signal.forget(number) }
}

/// Notifies the listener of commits.
final class ChangeSignal: Sendable {
    /// Holds the closure as a field.
    ///
    /// Stored directly in a `Mutex`, it would be wrapped again, permanently, each time it is accessed: each commit
    /// would cost more than the one before.
    private struct Listener: Sendable {
        /// Which listener of the store this is, counted from 1.
        let number: Int
        let hear: @Sendable (StoreChange) -> Void
    }

    private let listener = Mutex<Listener?>(nil)
    private let count = Atomic(0)
    /// Whether changes say which stories were stored or removed.
    let followsStories = Atomic(true)
    /// Whether rows were removed whose bytes are still in the log.
    let hasRemovals = Mutex(false)

    func listen(followingStories: Bool, _ body: @escaping @Sendable (StoreChange) -> Void) -> ChangeListening {
        followsStories.store(followingStories, ordering: .relaxed)
        let number = count.add(1, ordering: .relaxed).newValue
        let new = Listener(number: number, hear: body)
        listener.withLock { $0 = new }
        return ChangeListening(signal: self, number: number)
    }

    /// Lets go of a listener, unless another has taken its place.
    fileprivate func forget(_ number: Int) {
        // What it holds ends outside of the lock: its end may close the store.
        let forgotten = listener.withLock { listener -> Listener? in
            guard listener?.number == number else { return nil }
            defer { listener = nil }
            return listener
        }
        withExtendedLifetime(forgotten) {}
    }

    func send(_ changes: StoreChange) {
        guard !changes.isEmpty else { return }
        if changes.hasRemovals { hasRemovals.withLock { $0 = true } }
        listener.withLock { $0 }?.hear(changes)
    }
}

extension StoreTransaction {
    /// Records that a user's feed may have changed, with the number of rows added to the feed's log.
    func noteFeed(of user: UserID, rows: Int = 0) { afterCommit.changes.feeds[user, default: 0] += rows }

    /// Records that part of a user's feed may be gone or reworded.
    func noteWithdrawal(from user: UserID) {
        noteFeed(of: user)
        afterCommit.changes.withdrawals.insert(user)
    }

    /// Records that one notification of a user now shows more or less, or is gone.
    func noteRetelling(_ notice: String, to user: UserID) {
        noteWithdrawal(from: user)
        afterCommit.changes.retold[user, default: []].insert(notice)
    }

    /// Records that any number of a user's notifications may have changed or gone.
    func noteRecount(of user: UserID) {
        noteWithdrawal(from: user)
        afterCommit.changes.recounts.insert(user)
    }

    /// Records that a user may see different stories, in the feed and on the map.
    func noteView(of user: UserID) {
        noteRecount(of: user)
        afterCommit.changes.views.insert(user)
    }

    /// Records that the tokens or keys of a user may no longer be valid.
    func noteAccess(of user: UserID) { afterCommit.changes.accesses.insert(user) }

    /// Records that rows were removed whose bytes are still in the log.
    func noteRemoval() { afterCommit.changes.hasRemovals = true }

    /// Records that delivery attempts to a user are based on an outdated state.
    func noteOutdatedAttempts(of user: UserID) { afterCommit.changes.outdatedAttempts.users.insert(user) }

    /// Records that anything may have changed, because another program has written.
    public func noteEverything() { afterCommit.changes.isEverything = true }
}
