import GRDB

/// The data as it was at one instant, for an answer that is too long to be read at once.
///
/// It has a connection of its own; while it is open the log of the database can grow but not be emptied.
public final class StoreSnapshot: Sendable {
    private let database: DatabaseQueue
    private let path: String

    fileprivate init(database: DatabaseQueue, path: String) {
        self.database = database
        self.path = path
    }

    /// Runs `body` on the data of that instant.
    public func read<Value: Sendable>(
        _ body: @escaping @Sendable (StoreTransaction) throws -> Value
    ) async throws -> Value {
        do {
            return try await database.writeWithoutTransaction {
                try body(StoreTransaction(db: $0, afterCommit: ActionList(), clock: StoreClock()))
            }
        } catch let error as DatabaseError {
            throw StoryStore.explain(error, path: path)
        }
    }

    /// Lets go of that instant; reading ends.
    public func close() {
        try? database.close()
    }
}

extension StoryStore {
    /// Takes the data as it is now; close it after use.
    ///
    /// - Throws: ``StoreError`` when no further connection can be opened.
    public func snapshot() async throws -> StoreSnapshot {
        do {
            let database = try StoryStore.openSnapshot(path)
            try await database.writeWithoutTransaction { db in
                try db.beginTransaction(.deferred)
                // The instant is the first read, not the beginning.
                _ = try Int.fetchOne(db, sql: "SELECT 1 FROM users LIMIT 1")
            }
            return StoreSnapshot(database: database, path: path)
        } catch let error as DatabaseError {
            throw StoryStore.explain(error, path: path)
        }
    }
}
