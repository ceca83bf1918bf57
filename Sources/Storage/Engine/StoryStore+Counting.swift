import CSpatiaLite
import GRDB
import Synchronization

/// The work done in one view of the database; for tests that require two answers to take the same work.
package struct StoreWork: Hashable, Sendable {
    /// The statements run, in order, without their arguments.
    package var statements: [String] = []
    /// The number of SQLite virtual machine instructions they took.
    package var steps = 0
}

extension StoryStore {
    /// Runs `body` twice in a view of the database and counts the work that its second run does there.
    ///
    /// The first run compiles the statements: since version 3.41.0, SQLite also calls the progress handler while it
    /// compiles one, so that a connection's first lookup would seem to take more steps than its later ones.
    package func counting<Value: Sendable>(
        _ body: @escaping @Sendable (StoreReader) throws -> Value
    ) async throws -> (value: Value, work: StoreWork) {
        try await read { transaction in
            _ = try body(transaction)
            let counter = StoreWorkCounter()
            let connection = transaction.db.sqliteConnection
            transaction.db.trace { counter.work.statements.append("\($0)") }
            let context = Unmanaged.passUnretained(counter).toOpaque()
            sqlite3_progress_handler(
                connection,
                1,
                { context in
                    if let context {
                        Unmanaged<StoreWorkCounter>.fromOpaque(context).takeUnretainedValue().work.steps += 1
                    }
                    return 0
                },
                context
            )
            defer {
                sqlite3_progress_handler(connection, 0, nil, nil)
                transaction.db.trace()
            }
            let value = try body(transaction)
            return (value, counter.work)
        }
    }

    /// Runs `body` and returns the statements the writer ran meanwhile, in order, without their arguments.
    package func writerStatements(during body: () async throws -> Void) async throws -> [String] {
        let log = StatementLog()
        try await database.writeWithoutTransaction { db in db.trace { log.add("\($0)") } }
        try await body()
        try await database.writeWithoutTransaction { $0.trace() }
        return log.statements
    }
}

/// The statements a writer ran.
private final class StatementLog: Sendable {
    private let kept = Mutex<[String]>([])

    var statements: [String] { kept.withLock { $0 } }

    func add(_ statement: String) { kept.withLock { $0.append(statement) } }
}

/// Counts the work on one connection, which is only used by one thread at a time.
private final class StoreWorkCounter {
    var work = StoreWork()
}

@available(*, unavailable)
extension StoreWorkCounter: Sendable {}
