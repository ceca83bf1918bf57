import Foundation
import GRDB
public import Stories

// API keys.
extension StoreReader {
    /// Returns the key with an id, or `nil`.
    public func key(_ id: String) throws -> StoredKey? {
        try db.cachedStatement(sql: "SELECT * FROM api_keys WHERE id = ?").first([id], key) ?? nil
    }

    /// Returns the keys of a user, oldest first; those of all users and services if `user` is `nil`.
    public func keys(of user: UserID?) throws -> [StoredKey] {
        try Row.fetchAll(
            db,
            sql: "SELECT * FROM api_keys WHERE user = ?1 OR ?1 IS NULL ORDER BY created_ms, id",
            arguments: [user?.rawValue]
        )
        .compactMap(key)
    }

    private func key(_ row: Row) -> StoredKey? {
        guard let kind = StoredKey.Kind(rawValue: row["kind"]) else { return nil }
        var key = StoredKey(
            id: row["id"],
            digest: [UInt8](row["digest"] as Data),
            kind: kind,
            user: (row["user"] as String?).flatMap { UserID($0) },
            name: row["name"],
            device: row["device"],
            scopes: row["scopes"],
            createdAt: Timestamp(milliseconds: row["created_ms"]),
            expiresAt: (row["expires_ms"] as Int64?).map { Timestamp(milliseconds: $0) }
        )
        key.usedAt = (row["used_ms"] as Int64?).map { Timestamp(milliseconds: $0) }
        return key
    }
}

extension StoreTransaction {
    /// Stores a new key.
    ///
    /// - Throws: ``StoreError`` with code `conflict` if its id is taken, or `vanished` if its user is unknown.
    public func insert(_ key: StoredKey) throws {
        try db.execute(
            sql: """
                INSERT INTO api_keys (id, digest, kind, user, name, device, scopes, created_ms, expires_ms)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                key.id, Data(key.digest), key.kind.rawValue, key.user?.rawValue, key.name, key.device, key.scopes,
                key.createdAt.milliseconds, key.expiresAt?.milliseconds,
            ]
        )
    }

    /// Records when a key was used.
    public func noteUse(ofKey id: String, at instant: Timestamp) throws {
        try db.execute(sql: "UPDATE api_keys SET used_ms = ? WHERE id = ?", arguments: [instant.milliseconds, id])
    }

    /// Removes a key, which revokes it, but only a key of `user` if given; returns whether one was removed.
    ///
    /// This applies only to this copy of the database; see ``endKey(_:of:at:)``.
    public func removeKey(_ id: String, of user: UserID? = nil) throws -> Bool {
        if let owner = try user ?? key(id)?.user { noteAccess(of: owner) }
        try db.execute(
            sql: "DELETE FROM api_keys WHERE id = ?1 AND (user = ?2 OR ?2 IS NULL)",
            arguments: [id, user?.rawValue]
        )
        return db.changesCount > 0
    }

    /// Removes the keys of a user that have expired by `now`.
    public func dropExpiredKeys(of user: UserID, now: Timestamp) throws {
        try db.execute(
            sql: "DELETE FROM api_keys WHERE user = ? AND expires_ms <= ?",
            arguments: [user.rawValue, now.milliseconds]
        )
    }
}

// Sign-ins.
extension StoreReader {
    /// Returns whether a sign-in of a user is still active.
    public func isSignedIn(_ signIn: String, user: UserID) throws -> Bool {
        try Bool.fetchOne(
            db.cachedStatement(sql: "SELECT EXISTS (SELECT 1 FROM sign_ins WHERE id = ? AND user = ?)"),
            arguments: [signIn, user.rawValue]
        ) ?? false
    }

    /// Returns the refresh token with a digest, used or not, or `nil` if its sign-in has ended.
    public func refreshToken(_ digest: [UInt8]) throws -> StoredRefreshToken? {
        guard
            let row = try Row.fetchOne(
                db,
                sql: """
                    SELECT token.expires_ms, token.used_ms, sign_ins.id, sign_ins.user, sign_ins.scopes,
                        next.used_ms IS NOT NULL AS successor_used
                    FROM refresh_tokens AS token JOIN sign_ins ON sign_ins.id = token.sign_in
                    LEFT JOIN refresh_tokens AS next ON next.digest = token.successor
                    WHERE token.digest = ?
                    """,
                arguments: [Data(digest)]
            ),
            let user = UserID(row["user"] as String)
        else { return nil }
        return StoredRefreshToken(
            signIn: SignIn(id: row["id"], user: user, scopes: row["scopes"]),
            expiresAt: Timestamp(milliseconds: row["expires_ms"]),
            usedAt: (row["used_ms"] as Int64?).map { Timestamp(milliseconds: $0) },
            isSuccessorUsed: row["successor_used"]
        )
    }

    /// Returns when a sign-in expires; `nil` if it has ended.
    func signInEnd(_ id: String) throws -> Timestamp? {
        try Int64.fetchOne(db, sql: "SELECT expires_ms FROM sign_ins WHERE id = ?", arguments: [id])
            .map { Timestamp(milliseconds: $0) }
    }
}

extension StoreTransaction {
    /// Stores a sign-in, or extends an existing one, with its newest refresh token.
    public func save(_ signIn: SignIn, newest digest: [UInt8], expiresAt end: Timestamp, at now: Timestamp) throws {
        try db.execute(
            sql: """
                INSERT INTO sign_ins (id, user, scopes, created_ms, expires_ms) VALUES (?, ?, ?, ?, ?)
                ON CONFLICT (id) DO UPDATE SET expires_ms = excluded.expires_ms
                """,
            arguments: [signIn.id, signIn.user.rawValue, signIn.scopes, now.milliseconds, end.milliseconds]
        )
        try db.execute(
            sql: "INSERT INTO refresh_tokens (digest, sign_in, expires_ms) VALUES (?, ?, ?)",
            arguments: [Data(digest), signIn.id, end.milliseconds]
        )
        // A token of an ended sign-in must be treated like an unknown one.
        try dropSignIns(of: signIn.user, endedBy: now)
        try db.execute(
            sql: "DELETE FROM refresh_tokens WHERE sign_in = ? AND expires_ms <= ?",
            arguments: [signIn.id, now.milliseconds]
        )
    }

    /// Removes the sign-ins of a user, or of all users if `nil`, that have ended by `now`.
    public func dropSignIns(of user: UserID?, endedBy now: Timestamp) throws {
        try db.execute(
            sql: "DELETE FROM sign_ins WHERE expires_ms <= ?1 AND (user = ?2 OR ?2 IS NULL)",
            arguments: [now.milliseconds, user?.rawValue]
        )
    }

    /// Marks a refresh token as exchanged for another.
    public func markUsed(refreshToken digest: [UInt8], successor: [UInt8], at now: Timestamp) throws {
        try db.execute(
            sql: "UPDATE refresh_tokens SET used_ms = ?, successor = ? WHERE digest = ?",
            arguments: [now.milliseconds, Data(successor), Data(digest)]
        )
    }

    /// Ends a sign-in with all its tokens, a session of the page, a link to a story or a collection, a passkey, or the
    /// link of an account at a provider, only in this copy of the database; see ``endSignIn(_:at:)``,
    /// ``endPageSession(_:of:at:)``, ``endShareLink(_:of:at:)``, ``endPasskey(_:of:at:)`` and
    /// ``endProviderAccount(_:of:at:)``.
    public func endSignIn(_ id: String) throws {
        try removePageSession(id)
        try removeShareLink(id)
        try removePasskey(id)
        try removeProviderAccount(id)
        let user = try String.fetchOne(db, sql: "SELECT user FROM sign_ins WHERE id = ?", arguments: [id])
        if let user = user.flatMap({ UserID($0) }) { noteAccess(of: user) }
        try db.execute(sql: "DELETE FROM sign_ins WHERE id = ?", arguments: [id])
    }
}

// Signing out everywhere.
extension StoreReader {
    /// Returns the epoch and time of a user's last sign-out everywhere.
    ///
    /// Returns `nil` if there was none, and for an account that is being erased: a later account with that name is
    /// unrelated.
    public func accessEpoch(of user: UserID) throws -> (epoch: String, since: Timestamp)? {
        let statement = try db.cachedStatement(
            sql: """
                SELECT epoch, since_ms FROM access_epochs WHERE user = ?
                AND user NOT IN (SELECT user FROM unfinished_erasures WHERE kind = 'account')
                """
        )
        return try statement.first([user.rawValue]) { ($0["epoch"], Timestamp(milliseconds: $0["since_ms"])) }
    }

    /// Returns when the access of a removed user ended, by the digest of their id; `nil` if it has not ended.
    public func accessEnd(of user: [UInt8]) throws -> Timestamp? {
        try Int64.fetchOne(db, sql: "SELECT ended_ms FROM ended_access WHERE user = ?", arguments: [Data(user)])
            .map { Timestamp(milliseconds: $0) }
    }

    /// Returns everyone who owns a story, sorted by id.
    public func storyOwners() throws -> [UserID] {
        try String.fetchAll(db, sql: "SELECT DISTINCT owner FROM stories ORDER BY owner").compactMap { UserID($0) }
    }
}

extension StoreTransaction {
    /// Ends a user's sign-ins and sessions of the page, all or only those begun at `last` or before, and, with a new
    /// epoch, all access tokens issued so far.
    public func endSignIns(
        of user: UserID,
        begunBy last: Timestamp? = nil,
        epoch: String,
        at now: Timestamp
    ) throws {
        noteAccess(of: user)
        try db.execute(
            sql: "DELETE FROM sign_ins WHERE user = ?1 AND (created_ms <= ?2 OR ?2 IS NULL)",
            arguments: [user.rawValue, last?.milliseconds]
        )
        try removePageSessions(of: user, begunBy: last)
        try db.execute(
            sql: """
                INSERT INTO access_epochs (user, epoch, since_ms) VALUES (?, ?, ?)
                ON CONFLICT (user) DO UPDATE SET epoch = excluded.epoch, since_ms = excluded.since_ms
                """,
            arguments: [user.rawValue, epoch, now.milliseconds]
        )
    }

    /// Records that tokens issued until now must not recreate a removed user, by the digest of their id.
    public func endAccess(of user: [UInt8], at now: Timestamp) throws {
        try db.execute(
            sql: """
                INSERT INTO ended_access (user, ended_ms) VALUES (?, ?)
                ON CONFLICT (user) DO UPDATE SET ended_ms = excluded.ended_ms
                """,
            arguments: [Data(user), now.milliseconds]
        )
    }
}
