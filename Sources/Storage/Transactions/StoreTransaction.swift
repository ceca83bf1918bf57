import GRDB

/// One consistent view of the store: the way to what its tables hold.
///
/// ``StoryStore/read(_:)`` passes one that nothing can be changed through; of a ``StoreTransaction`` it is the half that
/// reads, so that a function that only looks takes a reader and serves both.
///
/// A class, so that a transaction is a reader: there is one for each view of the database, none for a row.
public class StoreReader {
    final let db: Database
    final let clock: StoreClock
    /// The groups of writes of which this view does not know until when they lasted.
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
    /// The list that says what ended to older copies of the database, too.
    let erasureList: ErasureList

    init(
        db: Database,
        afterCommit: ActionList,
        clock: StoreClock,
        erasureList: ErasureList,
        unsettled: [CommitSpan] = []
    ) {
        self.afterCommit = afterCommit
        self.erasureList = erasureList
        super.init(db: db, clock: clock, unsettled: unsettled)
    }

    /// Calls `action` once the transaction is durable, on the writer, before any other transaction begins.
    ///
    /// This is how the map index follows the database in the database's own order.
    public func afterCommit(_ action: @escaping @Sendable () -> Void) {
        afterCommit.actions.append(action)
    }
}

/// What is to be done once a transaction is durable.
final class ActionList {
    var actions: [@Sendable () -> Void] = []
    /// What has to be on the list of erasures before the transaction commits.
    var lines: [ErasureList.Entry] = []
    /// When the transaction changed who sees what, once it did.
    var stamp: Int64?
    /// What the transaction may have changed for whoever looks on live.
    var changes = StoreChange()
}

@available(*, unavailable)
extension ActionList: Sendable {}
