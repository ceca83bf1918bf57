import CSpatiaLite
import GRDB
import GRDBSQLite
import Storage

/// Makes the log of a store's database fail on its way to the disk.
enum FaultyLog {
    /// Lets the next `fsync` of the log fail, one time; what was written before it is in the file.
    static func failNextSync(of store: StoryStore) throws {
        try store.inspect { db in
            var file: UnsafeMutablePointer<sqlite3_file>?
            let code = sqlite3_file_control(db.sqliteConnection, "main", SQLITE_FCNTL_JOURNAL_POINTER, &file)
            guard code == SQLITE_OK, let file, let original = file.pointee.pMethods else {
                throw DatabaseError(resultCode: .SQLITE_MISUSE)
            }
            // Behind the table in use lies the one that was, to go back to. Never freed: SQLite may hold it.
            let methods = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 2)
            methods.initialize(repeating: original.pointee, count: 2)
            methods[0].xSync = { file, _ in
                guard let file, let methods = file.pointee.pMethods else { return SQLITE_IOERR }
                file.pointee.pMethods = methods + 1
                return SQLITE_IOERR | (4 << 8)
            }
            file.pointee.pMethods = UnsafePointer(methods)
        }
    }
}
