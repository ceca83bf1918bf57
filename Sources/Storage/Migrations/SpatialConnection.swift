import CSpatiaLite
package import GRDB

/// Loads SpatiaLite into a connection and unloads it when the connection closes.
package enum SpatialConnection {
    /// Runs once per process; SpatiaLite requires it before the first connection.
    private static let initialized: Void = spatialite_initialize()

    /// The version of SpatiaLite.
    package static var version: String { String(cString: spatialite_version()) }

    /// Registers SpatiaLite's functions with the connection.
    ///
    /// SQLite 3.40 has no hook that runs when a connection closes. SpatiaLite's per-connection cache is therefore freed
    /// by the destructor of a function registered for that purpose.
    package static func load(into db: Database) throws {
        _ = initialized
        guard let cache = spatialite_alloc_connection() else {
            throw StoreError(.failed, "SpatiaLite could not allocate another connection.")
        }
        spatialite_init_ex(db.sqliteConnection, cache, 0)
        let code = sqlite3_create_function_v2(
            db.sqliteConnection,
            "waymark_spatialite_cache",
            0,
            SQLITE_UTF8,
            cache,
            { context, _, _ in sqlite3_result_null(context) },
            nil,
            nil,
            { spatialite_cleanup_ex($0) }
        )
        guard code == SQLITE_OK else {
            throw StoreError(.failed, "SpatiaLite could not be initialised (SQLite code \(code)).")
        }
    }
}
