import GRDB
public import Stories

/// An erasure that has begun and is carried out in small transactions.
public struct UnfinishedErasure: Hashable, Sendable {
    /// The user.
    public let user: UserID
    /// The kind: the account, or the data derived from the user's whereabouts.
    public let kind: ErasureList.Kind
    /// When it was requested.
    public let begun: Timestamp
    /// The name that replaces the user's id in records of the past; it starts with `~`, which no user's id contains.
    let pseudonym: String
}

extension StoreReader {
    /// Returns the erasures that have begun but not ended, oldest first.
    public func unfinishedErasures() throws -> [UnfinishedErasure] {
        let sql = "SELECT user, kind, pseudonym, begun_ms FROM unfinished_erasures ORDER BY begun_ms, user, kind"
        return try Row.fetchAll(try db.cachedStatement(sql: sql))
            .compactMap { row in
                guard let user = UserID(row["user"] as String), let kind = ErasureList.Kind(rawValue: row["kind"])
                else {
                    return nil
                }
                let begun = Timestamp(milliseconds: row["begun_ms"])
                return UnfinishedErasure(user: user, kind: kind, begun: begun, pseudonym: row["pseudonym"])
            }
    }

    /// Returns whether the account of a user is being erased.
    public func isErasingAccount(of user: UserID) throws -> Bool {
        let sql = "SELECT 1 FROM unfinished_erasures WHERE user = ? AND kind = 'account'"
        return try Int.fetchOne(try db.cachedStatement(sql: sql), arguments: [user.rawValue]) != nil
    }

    /// Rejects additions to an account that is being erased.
    ///
    /// - Throws: ``StoreError`` with code `erasing`.
    func refuseErasing(_ user: UserID) throws {
        guard try isErasingAccount(of: user) else { return }
        throw StoreError(.erasing, "This account is being erased. Try again when the erasure is complete.")
    }

    /// The condition under which a story's account is not being erased.
    static let hasAccount = "owner NOT IN (SELECT user FROM unfinished_erasures WHERE kind = 'account')"

    /// The condition under which a row of `users` is an account that is not being erased.
    static let isAccount = "id NOT IN (SELECT user FROM unfinished_erasures WHERE kind = 'account')"

    /// Returns the pseudonyms under which records about accounts being erased may already be stored, by owner.
    func erasurePseudonyms() throws -> [String: String] {
        let erasures = try unfinishedErasures().filter { $0.kind == .account }
        return Dictionary(erasures.map { ($0.user.rawValue, $0.pseudonym) }, uniquingKeysWith: { first, _ in first })
    }
}

extension StoreTransaction {
    /// Begins an erasure that continues in pieces, even after a restart, until ``endErasure(_:)``.
    ///
    /// From its commit on, an account being erased counts as unknown: it has no viewer, its stories are invisible, and
    /// no story can be added. This takes a single row, however much there is to erase.
    public func beginErasure(of user: UserID, kind: ErasureList.Kind, at now: Timestamp) throws {
        try db.execute(
            sql: """
                INSERT INTO unfinished_erasures (user, kind, pseudonym, begun_ms)
                VALUES (?, ?, '~' || lower(hex(randomblob(16))), ?)
                ON CONFLICT (user, kind) DO UPDATE SET begun_ms = excluded.begun_ms
                """,
            arguments: [user.rawValue, kind.rawValue, now.milliseconds]
        )
        noteOutdatedAttempts(of: user)
        guard kind == .account else { return }
        afterCommit.changes.hasStories = true
        afterCommit.changes.hidesAccount = true
        noteAccess(of: user)
        noteView(of: user)
        // No scheduled work for the user may be due any more.
        for table in ["evaluator_states", "pending_visits", "digests"] {
            try db.execute(sql: "DELETE FROM \(table) WHERE user = ?", arguments: [user.rawValue])
        }
    }

    /// Records that nothing is left to erase.
    public func endErasure(_ erasure: UnfinishedErasure) throws {
        try forgetAnnouncements(to: erasure.user)
        try db.execute(
            sql: "DELETE FROM unfinished_erasures WHERE user = ? AND kind = ?",
            arguments: [erasure.user.rawValue, erasure.kind.rawValue]
        )
    }
}
