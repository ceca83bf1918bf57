import GRDB

extension Schema {
    /// Creates the table of requests with an `Idempotency-Key` that were carried out, with their answers.
    ///
    /// `owner` is whose key it is: the account, and the user for whom it acts. `key` is a digest of the route and the key;
    /// `answer` is sealed, because an answer can hold a secret, and missing until it is stored, which happens after the
    /// change itself.
    static func createRequestAnswers(_ db: Database) throws {
        try db.execute(
            sql: """
                CREATE TABLE request_answers (
                    owner TEXT NOT NULL, key BLOB NOT NULL,
                    user TEXT REFERENCES users (id) ON DELETE CASCADE,
                    digest BLOB NOT NULL, answer BLOB, created_ms BIGINT NOT NULL,
                    PRIMARY KEY (owner, key)) WITHOUT ROWID;
                CREATE INDEX request_answers_user ON request_answers (user);
                CREATE INDEX request_answers_age ON request_answers (created_ms);
                """
        )
    }
}
