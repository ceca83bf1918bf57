import GRDB
import GRDBSQLite
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Moves the log into the file in small steps and empties it, always on the writer's connection and without waiting.
///
/// SQLite's own checkpoints run as part of a commit, which then takes longer, and do not report failures. Here they run
/// after the callers are answered, whenever the log has grown by ``step`` pages.
final class LogKeeper: Sendable {
    /// The number of pages after which the log is moved into the file: about a megabyte.
    static let step = 250
    /// The length of the log in pages above which every step tries to restart it: 16 MiB.
    private static let longest = 4_096
    /// The size in bytes to which the log is truncated when it restarts.
    private static let keptBytes = 16 << 20

    private let meter: WriterMeter
    /// The number of pages the connection had written when the log was last moved.
    private let moved = Mutex(0)
    /// The number of further pages to write before moving the log again: more than ``step`` while a reader is using it.
    private let pause = Mutex(LogKeeper.step)

    init(meter: WriterMeter) { self.meter = meter }

    /// Disables SQLite's own checkpoints.
    static func prepare(_ db: Database) throws {
        try db.execute(sql: "PRAGMA wal_autocheckpoint = 0")
        try db.execute(sql: "PRAGMA journal_size_limit = \(keptBytes)")
    }

    /// Moves the log into the file if enough has accumulated.
    ///
    /// While a reader is active, perhaps in another process, all pages written since it started stay in the log, and
    /// every try makes SQLite go over all of them. So the longer the log, the fewer the tries.
    ///
    /// - Throws: `DatabaseError` if the disk fails. A blocking reader is not an error: the rest is left for next time.
    func keepUp(_ db: Database) throws {
        let written = WriterMeter.pagesWritten(by: db)
        guard written - moved.withLock({ $0 }) >= pause.withLock({ $0 }) else { return }
        let (frames, left) = try meter.measure(
            .checkpoint,
            on: db,
            moving: { _ in written - self.moved.withLock { $0 } }
        ) {
            let result = try db.checkpoint(.passive)
            return (result.walFrameCount, result.walFrameCount - result.checkpointedFrameCount)
        }
        moved.withLock { $0 = written }
        pause.withLock { $0 = max(LogKeeper.step, left / 2) }
        // A long log restarts as soon as no reader is using it.
        guard frames > LogKeeper.longest, left <= LogKeeper.step else { return }
        try LogKeeper.withoutWaiting(db) { _ = try db.checkpoint(.restart) }
    }

    /// Moves the whole log into the file and empties it; returns `false` if a reader is using it.
    ///
    /// The connection's page cache is dropped: its pages may still contain, in their gaps, content that has been wiped
    /// from the file, and would carry it back into the log.
    func empty(_ db: Database) throws -> Bool {
        try meter.measure(.emptying, on: db) {
            guard try LogKeeper.withoutWaiting(db, { _ = try db.checkpoint(.truncate) }) else { return false }
            moved.withLock { $0 = WriterMeter.pagesWritten(by: db) }
            pause.withLock { $0 = LogKeeper.step }
            if let connection = db.sqliteConnection { sqlite3_db_release_memory(connection) }
            return true
        }
    }

    /// Returns how many bytes the file grows by when the whole log is moved into it; `nil` if unknown.
    func growth(of db: Database) throws -> Int? {
        let pages = try Int.fetchOne(db, sql: "PRAGMA page_count") ?? 0
        let size = try Int.fetchOne(db, sql: "PRAGMA page_size") ?? 0
        guard let path = sqlite3_db_filename(db.sqliteConnection, nil) else { return nil }
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        return max(0, pages * size - Int(status.st_size))
    }

    /// Runs `body` without waiting for readers; returns `false` if a reader blocked it.
    @discardableResult
    private static func withoutWaiting(_ db: Database, _ body: () throws -> Void) throws -> Bool {
        guard let connection = db.sqliteConnection else { return false }
        sqlite3_busy_timeout(connection, 0)
        defer { sqlite3_busy_timeout(connection, 5_000) }
        do {
            try body()
            return true
        } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
            return false
        }
    }
}
