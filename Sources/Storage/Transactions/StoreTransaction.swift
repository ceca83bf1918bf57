import GRDB
package import Observing

/// One consistent view of the store, for reading its tables.
///
/// ``StoryStore/read(_:)`` passes a read-only one. It is also the reading half of a ``StoreTransaction``, so a function
/// that only reads takes a reader and serves both.
///
/// This is a class so that a transaction is a reader. There is one instance for each view of the database and none per
/// row.
public class StoreReader {
    final let db: Database
    final let clock: StoreClock
    /// The write groups whose end this view does not know.
    final let unsettled: [CommitSpan]

    init(db: Database, clock: StoreClock, unsettled: [CommitSpan] = []) {
        self.db = db
        self.clock = clock
        self.unsettled = unsettled
    }
}

@available(*, unavailable)
extension StoreReader: Sendable {}

/// One transaction on the store: the only way to change its tables.
public final class StoreTransaction: StoreReader {
    let afterCommit: ActionList
    /// The list of erasures, through which endings also apply to older copies of the database.
    let erasureList: ErasureList
    /// The operation on whose behalf the transaction is made, or `nil`.
    package internal(set) var cause: TraceCause?

    init(
        db: Database,
        afterCommit: ActionList,
        clock: StoreClock,
        erasureList: ErasureList,
        unsettled: [CommitSpan] = [],
        cause: TraceCause? = nil
    ) {
        self.cause = cause
        self.afterCommit = afterCommit
        self.erasureList = erasureList
        super.init(db: db, clock: clock, unsettled: unsettled)
    }

    /// Calls `action` once the transaction is durable, on the writer, before any other transaction begins.
    ///
    /// So the map index receives changes in the order of the commits.
    public func afterCommit(_ action: @escaping @Sendable () -> Void) {
        afterCommit.actions.append(action)
    }
}

/// Actions to run once a transaction is durable.
final class ActionList {
    var actions: [@Sendable () -> Void] = []
    /// The lines that must be on the list of erasures before the transaction commits.
    var lines: [ErasureList.Entry] = []
    /// The states among these lines, by their subjects.
    var narrowed: [ErasureList.Claim: String] = [:]
    /// The stamp at which the transaction changed visibility, if it did.
    var stamp: Int64?
    /// The changes of the transaction that may affect live viewers.
    var changes = StoreChange()
    /// Whether a listener wants to know every story stored or removed.
    let followsStories: Bool

    init(followsStories: Bool = true) { self.followsStories = followsStories }
}

@available(*, unavailable)
extension ActionList: Sendable {}
