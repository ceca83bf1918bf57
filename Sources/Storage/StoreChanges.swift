import GRDB
public import Stories
import Synchronization

/// What a commit may have changed of what people are shown live: whom to look at again, never what there is to see.
public struct StoreChanges: Sendable {
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
            && !hasDeliveries && !isEverything
    }
}

/// Passes commits on to their listener.
final class ChangeSignal: Sendable {
    /// Holds the closure as a field.
    ///
    /// Right in a `Mutex` it would be wrapped once more, and for good, by every look at it: each commit would cost more
    /// than the one before.
    private struct Listener: Sendable {
        let hear: @Sendable (StoreChanges) -> Void
    }

    private let listener = Mutex<Listener?>(nil)

    func listen(_ body: @escaping @Sendable (StoreChanges) -> Void) {
        let new = Listener(hear: body)
        listener.withLock { $0 = new }
    }

    func send(_ changes: StoreChanges) {
        guard !changes.isEmpty else { return }
        listener.withLock { $0 }?.hear(changes)
    }
}

extension StoryStore {
    /// Makes `body` the one that is told of every commit that may concern somebody who looks on live.
    ///
    /// It runs on the writer once the commit is durable, before whoever wrote is answered; it must not wait.
    public func onChange(_ body: @escaping @Sendable (StoreChanges) -> Void) { changeSignal.listen(body) }
}

extension StoreTransaction {
    /// Notes that a user's feed may look otherwise, with so many more rows in its log.
    func noteFeed(of user: UserID, rows: Int = 0) { afterCommit.changes.feeds[user, default: 0] += rows }

    /// Notes that something of a user's feed may be gone or worded otherwise.
    public func noteWithdrawal(from user: UserID) {
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

    /// Notes that stories changed, for the map and for everybody who was told of them.
    public func noteStories(_ ids: [StoryID]) throws {
        afterCommit.changes.hasStories = true
        for id in ids {
            for (user, notice) in try noticeIDs(tellingOf: id) { noteRetelling(notice, to: user) }
        }
    }

    /// Notes that everybody who shares a family with a user, that one or any, may see other stories than before.
    func noteViews(of user: UserID, in family: FamilyID?) throws {
        noteView(of: user)
        let members = try String.fetchAll(
            db,
            sql: """
                SELECT DISTINCT other.user FROM memberships AS mine JOIN memberships AS other
                ON other.family = mine.family WHERE mine.user = ?1 AND (?2 IS NULL OR mine.family = ?2)
                """,
            arguments: [user.rawValue, family?.rawValue]
        )
        for member in members { if let member = UserID(member) { noteView(of: member) } }
    }
}
