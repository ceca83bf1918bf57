import GRDB
import GRDBSQLite
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Moves the log into the file in small steps and empties it, always on the writer's connection and never waiting.
///
/// SQLite's own checkpoints come with a commit, which then takes as long as both, and say nothing when they fail. Here
/// they come after the answers, whenever the log has grown by ``step`` pages.
final class LogKeeper: Sendable {
    /// After how many pages the log is moved into the file: about a megabyte.
    static let step = 250
    /// From how many pages on every step tries to begin the log anew: 16 MiB.
    private static let longest = 4_096
    /// To how many bytes the log is cut when it begins anew.
    private static let keptBytes = 16 << 20

    private let meter: WriterMeter
    /// Pages written by the connection when the log was last moved.
    private let moved = Mutex(0)
    /// After how many more it is moved again: more than ``step`` while somebody reads in it.
    private let pause = Mutex(LogKeeper.step)

    init(meter: WriterMeter) { self.meter = meter }

    /// Turns SQLite's own checkpoints off.
    static func prepare(_ db: Database) throws {
        try db.execute(sql: "PRAGMA wal_autocheckpoint = 0")
        try db.execute(sql: "PRAGMA journal_size_limit = \(keptBytes)")
    }

    /// Moves what there is when it is worth it.
    ///
    /// A reader, in another process perhaps, keeps all that was written since it began in the log, and SQLite goes over
    /// all of that at every try: so the tries become fewer with the length of the log.
    ///
    /// - Throws: `DatabaseError` when the disk fails. A reader in the way is none: the rest is left for the next time.
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
        // A long log begins anew as soon as nobody reads in it.
        guard frames > LogKeeper.longest, left <= LogKeeper.step else { return }
        try LogKeeper.withoutWaiting(db) { _ = try db.checkpoint(.restart) }
    }

    /// Moves all of the log into the file and empties it; returns `false` when somebody reads in it.
    ///
    /// The pages that the connection remembers are forgotten: they can still hold, in their gaps, what the file does not
    /// any more, and would carry it into the log again.
    func empty(_ db: Database) throws -> Bool {
        try meter.measure(.emptying, on: db) {
            guard try LogKeeper.withoutWaiting(db, { _ = try db.checkpoint(.truncate) }) else { return false }
            moved.withLock { $0 = WriterMeter.pagesWritten(by: db) }
            pause.withLock { $0 = LogKeeper.step }
            if let connection = db.sqliteConnection { sqlite3_db_release_memory(connection) }
            return true
        }
    }

    /// By how many bytes the file grows when all of its log is moved into it; `nil` where nobody can tell.
    func growth(of db: Database) throws -> Int? {
        let pages = try Int.fetchOne(db, sql: "PRAGMA page_count") ?? 0
        let size = try Int.fetchOne(db, sql: "PRAGMA page_size") ?? 0
        guard let path = sqlite3_db_filename(db.sqliteConnection, nil) else { return nil }
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        return max(0, pages * size - Int(status.st_size))
    }

    /// Runs `body` without waiting for readers; returns `false` when one was in the way.
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
