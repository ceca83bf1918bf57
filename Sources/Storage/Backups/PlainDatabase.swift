import CSpatiaLite
import GRDB

/// A database opened for reading with SQLite alone: no SpatiaLite, no lock of ours, no checkpoint.
///
/// Nothing that the file itself defines is trusted: no function with side effects may be called from its schema.
struct PlainDatabase {
    private let queue: DatabaseQueue

    /// Opens an existing file, for copying or for reading alone.
    ///
    /// For a copy, the connection may write but does not: SQLite 3.40 fails on `VACUUM INTO` from a connection that is
    /// only for reading if a table has stored generated columns ("has 7 columns but 8 values were supplied").
    ///
    /// - Throws: ``StoreError`` if it is no Waymark database.
    init(_ path: String, forCopying: Bool = false) throws {
        try StoryStore.checkHeader(of: path)
        var configuration = Configuration()
        configuration.readonly = !forCopying
        configuration.busyMode = .timeout(5)
        configuration.prepareDatabase { db in
            if forCopying {
                try db.execute(sql: "PRAGMA wal_autocheckpoint = 0")
                guard waymark_never_checkpoint_on_close(db.sqliteConnection) == SQLITE_OK else {
                    throw StoreError(.failed, "SQLite cannot be kept from changing \(path).")
                }
            }
            try db.execute(sql: "PRAGMA trusted_schema = OFF")
            try db.execute(sql: "PRAGMA cell_size_check = ON")
        }
        queue = try DatabaseQueue(path: path, configuration: configuration)
    }

    /// The size of its content in bytes, including what is still in its log.
    func size() throws -> Int {
        try queue.writeWithoutTransaction { db in
            let pages = try Int.fetchOne(db, sql: "PRAGMA page_count") ?? 0
            return pages * (try Int.fetchOne(db, sql: "PRAGMA page_size") ?? 0)
        }
    }

    /// Returns the value of `body` on its connection; `step` is called now and then while SQLite works, and ends the
    /// work if it throws.
    func run<Value>(step: @escaping () throws -> Void = {}, _ body: (Database) throws -> Value) throws -> Value {
        try queue.writeWithoutTransaction { db in
            let watch = StepWatch(step)
            let connection = db.sqliteConnection
            sqlite3_progress_handler(
                connection,
                50_000,
                { context in
                    guard let context else { return 0 }
                    return Unmanaged<StepWatch>.fromOpaque(context).takeUnretainedValue().goesOn() ? 0 : 1
                },
                Unmanaged.passUnretained(watch).toOpaque()
            )
            defer { sqlite3_progress_handler(connection, 0, nil, nil) }
            do {
                return try withExtendedLifetime(watch) { try body(db) }
            } catch {
                throw watch.failure ?? error
            }
        }
    }

    /// Closes it.
    func close() { try? queue.close() }
}

/// Calls a closure from SQLite's progress handler, which cannot throw.
private final class StepWatch {
    private let step: () throws -> Void
    private(set) var failure: (any Error)?

    init(_ step: @escaping () throws -> Void) { self.step = step }

    func goesOn() -> Bool {
        guard failure == nil else { return false }
        do {
            try step()
            return true
        } catch {
            failure = error
            return false
        }
    }
}

@available(*, unavailable)
extension StepWatch: Sendable {}
