import GRDB
import GRDBSQLite

/// The size of the page cache of a long write.
enum PageCache: Sendable {
    /// The size in kibibytes: the pages of the largest index of a million stories.
    private static let size = 128 << 10

    /// Runs `body`, a transaction of thousands of rows, with a large page cache, which is given back afterwards.
    ///
    /// The keys of the indexes are random. With SQLite's 2 MB, nearly every row reads pages from the file and writes
    /// others to the log, over and over (measured: a third of the time of an import of a million rows in the kernel).
    static func enlarging(_ db: Database, _ body: () -> Void) {
        let usual = try? Int.fetchOne(db, sql: "PRAGMA cache_size")
        // Without the memory it takes longer, no more.
        try? db.execute(sql: "PRAGMA cache_size = -\(size)")
        body()
        try? db.execute(sql: "PRAGMA cache_size = \(usual ?? -2_000)")
        if let connection = db.sqliteConnection { sqlite3_db_release_memory(connection) }
    }
}
