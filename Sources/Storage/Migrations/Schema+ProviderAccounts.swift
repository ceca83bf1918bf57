import GRDB

extension Schema {
    /// Creates the tables of accounts at an OpenID Connect provider that sign in to accounts here.
    ///
    /// `subject` is the provider's own name for the person; neither their name nor their address there is stored. A user
    /// has at most one account at a provider. `proven_addresses` holds the e-mail address that a user has read, or for
    /// which the operator vouches: `users.email` alone may be anybody's. A code by e-mail proves the address to which it
    /// was sent, whatever the account says by the time it is used.
    static func createProviderAccounts(_ db: Database) throws {
        try db.execute(
            sql: """
                CREATE TABLE provider_accounts (
                    id TEXT PRIMARY KEY NOT NULL, issuer TEXT NOT NULL, subject TEXT NOT NULL,
                    user TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
                    created_ms BIGINT NOT NULL, used_ms BIGINT,
                    UNIQUE (issuer, subject), UNIQUE (user, issuer)) WITHOUT ROWID;
                CREATE TABLE proven_addresses (
                    user TEXT PRIMARY KEY NOT NULL REFERENCES users (id) ON DELETE CASCADE,
                    email TEXT NOT NULL, at_ms BIGINT NOT NULL) WITHOUT ROWID;
                ALTER TABLE sign_in_codes ADD COLUMN email TEXT;
                """
        )
    }
}
