import Foundation
import GRDB
public import Stories

// Passkeys, which sign users in.
extension StoreReader {
    /// Returns the passkey with an authenticator's id, whoever it belongs to, or `nil`.
    public func passkey(credential: [UInt8]) throws -> StoredPasskey? {
        try db.cachedStatement(sql: "SELECT * FROM passkeys WHERE credential = ?").first([Data(credential)], passkey)
            ?? nil
    }

    /// Returns the passkeys of a user, newest first, then by id.
    public func passkeys(of user: UserID) throws -> [StoredPasskey] {
        let sql = "SELECT * FROM passkeys WHERE user = ? ORDER BY created_ms DESC, id"
        return try db.cachedStatement(sql: sql).all([user.rawValue], passkey).compactMap(\.self)
    }

    private func passkey(_ row: Row) -> StoredPasskey? {
        guard let id = StoryID(row["id"] as String), let user = UserID(row["user"] as String) else { return nil }
        return StoredPasskey(
            id: id,
            credential: [UInt8](row["credential"] as Data),
            user: user,
            handle: [UInt8](row["handle"] as Data),
            party: row["party"],
            name: row["name"],
            algorithm: row["algorithm"],
            key: [UInt8](row["key"] as Data),
            counter: UInt32(clamping: row["counter"] as Int64),
            isSynced: row["synced"],
            createdAt: Timestamp(milliseconds: row["created_ms"]),
            usedAt: (row["used_ms"] as Int64?).map { Timestamp(milliseconds: $0) }
        )
    }
}

extension StoreTransaction {
    /// Stores a new passkey.
    ///
    /// - Throws: ``StoreError`` with code `conflict` if its credential is known, or `vanished` if its user is unknown.
    public func insert(_ passkey: StoredPasskey) throws {
        try refuseErasing(passkey.user)
        try db.execute(
            sql: """
                INSERT INTO passkeys
                (id, credential, user, handle, party, name, algorithm, key, counter, synced, created_ms, used_ms)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                passkey.id.description, Data(passkey.credential), passkey.user.rawValue, Data(passkey.handle),
                passkey.party, passkey.name, passkey.algorithm, Data(passkey.key), Int64(passkey.counter),
                passkey.isSynced, passkey.createdAt.milliseconds, passkey.usedAt?.milliseconds,
            ]
        )
    }

    /// Records a sign-in with a passkey: the authenticator's counter, and the time.
    public func noteUse(ofPasskey id: StoryID, counter: UInt32, at instant: Timestamp) throws {
        try db.execute(
            sql: "UPDATE passkeys SET counter = ?, used_ms = ? WHERE id = ?",
            arguments: [Int64(counter), instant.milliseconds, id.description]
        )
    }

    /// Removes a passkey only in this copy of the database; see ``endPasskey(_:of:at:)``.
    func removePasskey(_ id: String) throws {
        try db.execute(sql: "DELETE FROM passkeys WHERE id = ?", arguments: [id])
    }
}
