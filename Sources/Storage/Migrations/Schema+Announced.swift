import GRDB

extension Schema {
    /// Creates the end of the file of announcements; see ``AnnouncedList``.
    static func createAnnounced(_ db: Database) throws {
        try db.execute(sql: "CREATE TABLE announced (number INTEGER PRIMARY KEY, record BLOB NOT NULL)")
    }
}
