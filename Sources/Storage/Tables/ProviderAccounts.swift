import GRDB
public import Stories

/// An account at an OpenID Connect provider that signs in to an account here.
public struct ProviderAccount: Hashable, Sendable {
    /// The id of the link between the two.
    public let id: String
    /// The provider.
    public let issuer: String
    /// The provider's own name for the person.
    public let subject: String
    /// The account here.
    public let user: UserID
    /// When the two were linked.
    public let createdAt: Timestamp
    /// When it last signed in, to the hour; `nil` if never.
    public let usedAt: Timestamp?

    /// Creates a value from its parts.
    public init(
        id: String,
        issuer: String,
        subject: String,
        user: UserID,
        createdAt: Timestamp,
        usedAt: Timestamp? = nil
    ) {
        self.id = id
        self.issuer = issuer
        self.subject = subject
        self.user = user
        self.createdAt = createdAt
        self.usedAt = usedAt
    }
}

extension StoreReader {
    /// Returns the link of an account at a provider, or `nil` if it is linked to none here.
    public func providerAccount(issuer: String, subject: String) throws -> ProviderAccount? {
        let sql = "SELECT * FROM provider_accounts WHERE issuer = ? AND subject = ?"
        return try db.cachedStatement(sql: sql).first([issuer, subject], account) ?? nil
    }

    /// Returns the links of a user, oldest first.
    public func providerAccounts(of user: UserID) throws -> [ProviderAccount] {
        let sql = "SELECT * FROM provider_accounts WHERE user = ? ORDER BY created_ms, id"
        return try db.cachedStatement(sql: sql).all([user.rawValue], account).compactMap(\.self)
    }

    /// Returns the users who have proven that an e-mail address is theirs and still have it, sorted by id; at most
    /// `limit`.
    public func users(withProvenEmail address: String, limit: Int) throws -> [UserID] {
        let sql = """
            SELECT users.id FROM users JOIN proven_addresses ON proven_addresses.user = users.id
            WHERE lower(users.email) = lower(?) AND lower(proven_addresses.email) = lower(users.email)
            AND users.\(StoreReader.isAccount) ORDER BY users.id LIMIT ?
            """
        return try String.fetchAll(db.cachedStatement(sql: sql), arguments: [address, limit])
            .compactMap { UserID($0) }
    }

    private func account(_ row: Row) -> ProviderAccount? {
        guard let user = UserID(row["user"] as String) else { return nil }
        return ProviderAccount(
            id: row["id"],
            issuer: row["issuer"],
            subject: row["subject"],
            user: user,
            createdAt: Timestamp(milliseconds: row["created_ms"]),
            usedAt: (row["used_ms"] as Int64?).map { Timestamp(milliseconds: $0) }
        )
    }
}

extension StoreTransaction {
    /// Stores a link.
    ///
    /// - Throws: ``StoreError`` with code `conflict` if the account at the provider is linked already, or if the user has
    ///   another there; `vanished` if the user is unknown.
    public func insert(_ account: ProviderAccount) throws {
        try db.execute(
            sql: """
                INSERT INTO provider_accounts (id, issuer, subject, user, created_ms, used_ms)
                VALUES (?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                account.id, account.issuer, account.subject, account.user.rawValue,
                account.createdAt.milliseconds, account.usedAt?.milliseconds,
            ]
        )
    }

    /// Records when a link last signed in.
    public func noteUse(ofProviderAccount id: String, at instant: Timestamp) throws {
        try db.cachedStatement(sql: "UPDATE provider_accounts SET used_ms = ? WHERE id = ?")
            .execute(arguments: [instant.milliseconds, id])
    }

    /// Removes a link only in this copy of the database; see ``endProviderAccount(_:of:at:)``.
    func removeProviderAccount(_ id: String) throws {
        try db.cachedStatement(sql: "DELETE FROM provider_accounts WHERE id = ?").execute(arguments: [id])
    }

    /// Records that an e-mail address is a user's own, instead of the one that was recorded before.
    public func saveProvenAddress(_ email: String, of user: UserID, at now: Timestamp) throws {
        try db.cachedStatement(
            sql: """
                INSERT INTO proven_addresses (user, email, at_ms) VALUES (?, ?, ?)
                ON CONFLICT (user) DO UPDATE SET email = excluded.email, at_ms = excluded.at_ms
                """
        )
        .execute(arguments: [user.rawValue, email, now.milliseconds])
    }
}
