import Foundation
import GRDB
public import Stories

// Sessions of the page.
extension StoreReader {
    /// Returns the session with an id, but only one of `user` if given, expired or not, or `nil`.
    public func pageSession(_ id: String, of user: UserID? = nil) throws -> PageSession? {
        guard let user else {
            return try db.cachedStatement(sql: "SELECT * FROM page_sessions WHERE id = ?").first([id], session) ?? nil
        }
        let statement = try db.cachedStatement(sql: "SELECT * FROM page_sessions WHERE user = ?")
        return try statement.all([user.rawValue], session).compactMap(\.self).first { $0.id == id }
    }

    /// Returns the sessions of a user that have not expired, newest first.
    public func pageSessions(of user: UserID, at now: Timestamp) throws -> [PageSession] {
        try Row.fetchAll(
            db,
            sql: "SELECT * FROM page_sessions WHERE user = ? AND expires_ms > ? ORDER BY created_ms DESC, id",
            arguments: [user.rawValue, now.milliseconds]
        )
        .compactMap(session)
    }

    private func session(_ row: Row) -> PageSession? {
        guard let user = UserID(row["user"] as String) else { return nil }
        return PageSession(
            id: row["id"],
            digest: [UInt8](row["digest"] as Data),
            user: user,
            scopes: row["scopes"],
            label: row["label"],
            createdAt: Timestamp(milliseconds: row["created_ms"]),
            expiresAt: Timestamp(milliseconds: row["expires_ms"]),
            usedAt: Timestamp(milliseconds: row["used_ms"])
        )
    }
}

extension StoreTransaction {
    /// Stores a new session.
    ///
    /// - Throws: ``StoreError`` with code `conflict` if its id is taken, or `vanished` if its user is unknown.
    public func insert(_ session: PageSession) throws {
        try db.execute(
            sql: """
                INSERT INTO page_sessions (id, digest, user, scopes, label, created_ms, expires_ms, used_ms)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                session.id, Data(session.digest), session.user.rawValue, session.scopes, session.label,
                session.createdAt.milliseconds, session.expiresAt.milliseconds, session.usedAt.milliseconds,
            ]
        )
    }

    /// Records when a session was used.
    public func noteUse(ofSession id: String, at instant: Timestamp) throws {
        try db.execute(sql: "UPDATE page_sessions SET used_ms = ? WHERE id = ?", arguments: [instant.milliseconds, id])
    }

    /// Ends a session only in this copy of the database; see ``endPageSession(_:of:at:)``.
    func removePageSession(_ id: String) throws {
        guard let session = try pageSession(id) else { return }
        noteAccess(of: session.user)
        try db.execute(sql: "DELETE FROM page_sessions WHERE id = ?", arguments: [id])
    }

    /// Ends the sessions of a user, all or only those begun at `last` or before, and the codes that could begin
    /// another; only in this copy of the database.
    func removePageSessions(of user: UserID, begunBy last: Timestamp?) throws {
        for table in ["page_sessions", "sign_in_codes"] {
            try db.execute(
                sql: "DELETE FROM \(table) WHERE user = ?1 AND (created_ms <= ?2 OR ?2 IS NULL)",
                arguments: [user.rawValue, last?.milliseconds]
            )
        }
    }

    /// Removes the sessions and codes of a user, or of all users if `nil`, that have expired by `now`.
    public func dropPageSessions(of user: UserID?, endedBy now: Timestamp) throws {
        for table in ["page_sessions", "sign_in_codes"] {
            try db.execute(
                sql: "DELETE FROM \(table) WHERE expires_ms <= ?1 AND (user = ?2 OR ?2 IS NULL)",
                arguments: [now.milliseconds, user?.rawValue]
            )
        }
    }
}

// Codes that begin a session.
extension StoreReader {
    /// Returns the code with a digest, used or expired or neither; `nil` if there is none.
    public func signInCode(_ digest: [UInt8]) throws -> StoredSignInCode? {
        let statement = try db.cachedStatement(sql: "SELECT * FROM sign_in_codes WHERE digest = ?")
        return try statement.first([Data(digest)], code) ?? nil
    }

    /// Returns the users with an e-mail address, in any spelling of upper and lower case, sorted by id; at most
    /// `limit`.
    public func users(withEmail address: String, limit: Int) throws -> [User] {
        try Row.fetchAll(
            db,
            sql: """
                SELECT * FROM users WHERE email IS NOT NULL AND lower(email) = lower(?) AND \(StoreReader.isAccount)
                ORDER BY id LIMIT ?
                """,
            arguments: [address, limit]
        )
        .compactMap { row in
            UserID(row["id"] as String).map { User(id: $0, name: row["name"], email: row["email"]) }
        }
    }

    private func code(_ row: Row) -> StoredSignInCode? {
        guard let user = UserID(row["user"] as String), let kind = StoredSignInCode.Kind(rawValue: row["kind"]) else {
            return nil
        }
        let family = (row["family"] as String?).flatMap { FamilyID($0) }
        let role = (row["role"] as String?).flatMap { FamilyRole(rawValue: $0) }
        var code = StoredSignInCode(
            digest: [UInt8](row["digest"] as Data),
            user: user,
            kind: kind,
            name: row["name"],
            membership: family.flatMap { family in role.map { .init(family: family, role: $0) } },
            email: row["email"],
            createdAt: Timestamp(milliseconds: row["created_ms"]),
            expiresAt: Timestamp(milliseconds: row["expires_ms"])
        )
        code.usedAt = (row["used_ms"] as Int64?).map { Timestamp(milliseconds: $0) }
        return code
    }
}

extension StoreTransaction {
    /// Stores a code; one with the same digest, used or not, stays as it is.
    public func insert(_ code: StoredSignInCode) throws {
        try db.execute(
            sql: """
                INSERT OR IGNORE INTO sign_in_codes
                (digest, user, kind, name, family, role, email, created_ms, expires_ms)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                Data(code.digest), code.user.rawValue, code.kind.rawValue, code.name,
                code.membership?.family.rawValue, code.membership?.role.rawValue, code.email,
                code.createdAt.milliseconds, code.expiresAt.milliseconds,
            ]
        )
    }

    /// Marks a code as used; returns whether it was unused and unexpired.
    public func useSignInCode(_ digest: [UInt8], at now: Timestamp) throws -> Bool {
        try db.execute(
            sql: "UPDATE sign_in_codes SET used_ms = ?1 WHERE digest = ?2 AND used_ms IS NULL AND expires_ms > ?1",
            arguments: [now.milliseconds, Data(digest)]
        )
        return db.changesCount == 1
    }
}
