import CSpatiaLite
import GRDB
import Synchronization

/// The work that a view of the database was: for tests that hold two answers to be the same amount of it.
package struct StoreWork: Hashable, Sendable {
    /// The statements that were run, in their order, without their values.
    package var statements: [String] = []
    /// How many instructions of SQLite's machine they came to.
    package var steps = 0
}

extension StoryStore {
    /// Runs `body` in a view of the database and counts what it does there.
    package func counting<Value: Sendable>(
        _ body: @escaping @Sendable (StoreReader) throws -> Value
    ) async throws -> (value: Value, work: StoreWork) {
        try await read { transaction in
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

    /// Runs `body` and returns the statements that the writer ran meanwhile, in their order, without their values.
    package func writerStatements(during body: () async throws -> Void) async throws -> [String] {
        let log = StatementLog()
        try await database.writeWithoutTransaction { db in db.trace { log.add("\($0)") } }
        try await body()
        try await database.writeWithoutTransaction { $0.trace() }
        return log.statements
    }
}

/// What a writer ran.
private final class StatementLog: Sendable {
    private let kept = Mutex<[String]>([])

    var statements: [String] { kept.withLock { $0 } }

    func add(_ statement: String) { kept.withLock { $0.append(statement) } }
}

/// Counts on the one thread that a connection is used on at a time.
private final class StoreWorkCounter {
    var work = StoreWork()
}

@available(*, unavailable)
extension StoreWorkCounter: Sendable {}
