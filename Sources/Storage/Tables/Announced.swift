import Foundation
import GRDB
import Notifications
import Stories

// The end of the file of announcements in the database, which leads; see ``AnnouncedList``.
extension StoreReader {
    /// The number of the last announcement that this copy of the database knows of.
    fileprivate func announcedEnd() throws -> Int {
        try Int.fetchOne(db, sql: "SELECT max(number) FROM announced") ?? 0
    }

    /// Returns whether announcements were made that this copy of the database does not know of.
    public func lacksAnnouncements(on list: ErasureList) throws -> Bool {
        try announcedEnd() < list.announced.end
    }
}

extension StoreTransaction {
    /// Records that the subjects of keys were announced to a user.
    func noteAnnounced(_ keys: [LedgerKey], to user: UserID) throws {
        guard !keys.isEmpty else { return }
        let list = erasureList.announced
        // What is in the file is no longer needed here, except for the last number.
        try db.cachedStatement(
            sql: "DELETE FROM announced WHERE number <= ? AND number < (SELECT max(number) FROM announced)"
        )
        .execute(arguments: [list.end])
        let insert = try db.cachedStatement(
            sql: "INSERT INTO announced (number, record) SELECT ifnull(max(number), 0) + 1, ? FROM announced"
        )
        for key in keys { try insert.execute(arguments: [Data(list.record(key, of: user))]) }
        list.noteNews()
    }

    /// Adds what was announced since this copy of the database was made to its ledger, so that it is not announced again.
    public func applyAnnouncements() throws {
        let list = erasureList.announced
        let last = try announcedEnd()
        guard last < list.end else { return }
        var owners: [[UInt8]: UserID] = [:]
        for user in try users().map(\.id) { owners[list.tag(of: user)] = user }
        let insert = try db.cachedStatement(sql: "INSERT OR IGNORE INTO ledger (user, key) VALUES (?, ?)")
        for record in try list.records(after: last) {
            guard let user = owners[Array(record.prefix(8))] else { continue }
            try insert.execute(arguments: [user.rawValue, Data(record.dropFirst(8))])
        }
        try db.execute(
            sql: "INSERT INTO announced (number, record) VALUES (?, zeroblob(?))",
            arguments: [list.end, AnnouncedList.recordBytes]
        )
    }

    /// Removes what was announced to a user from the file of announcements and from its end in the database.
    func forgetAnnouncements(to user: UserID) throws {
        let list = erasureList.announced
        do {
            try list.forget(user)
        } catch let failure as ErasureFile.Failure where failure.isFull {
            throw StoreError(.diskFull, "The disk is full; the file of announcements cannot be written.")
        }
        try db.execute(
            sql: "UPDATE announced SET record = zeroblob(?) WHERE substr(record, 1, 8) = ?",
            arguments: [AnnouncedList.recordBytes, Data(list.tag(of: user))]
        )
    }
}

extension AnnouncedList {
    /// Adds what the database has and the file lacks.
    ///
    /// - Throws: ``ErasureFile/Failure`` or a database error; the next call tries again.
    func catchUp(with db: Database) throws {
        guard isBehind else { return }
        let rows = try Row.fetchAll(
            db.cachedStatement(sql: "SELECT number, record FROM announced WHERE number > ? ORDER BY number"),
            arguments: [end]
        )
        try add(rows.map { [UInt8]($0["record"] as Data) }, first: rows.first.map { $0["number"] } ?? 1)
    }
}
