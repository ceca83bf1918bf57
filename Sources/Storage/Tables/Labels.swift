import GRDB
public import Stories

extension StoreReader {
    /// Returns a user's labels for others, keyed by their ids; only for `people` if given.
    public func labels(of user: UserID, for people: Set<UserID>? = nil) throws -> [UserID: String] {
        var sql = "SELECT person, label FROM person_labels WHERE user = ?"
        var arguments: StatementArguments = [user.rawValue]
        if let people {
            guard !people.isEmpty else { return [:] }
            sql += " AND person IN (SELECT value FROM json_each(?))"
            arguments += [StoreReader.list(people.map(\.rawValue).sorted())]
        }
        return try Row.fetchAll(db.cachedStatement(sql: sql), arguments: arguments)
            .reduce(into: [:]) { labels, row in
                if let person = UserID(row["person"] as String) { labels[person] = row["label"] }
            }
    }
}

extension StoreTransaction {
    /// Stores a user's label for another person, whether or not there is such a user; `nil` removes it.
    public func setLabel(_ label: String?, of user: UserID, for person: UserID) throws {
        guard let label else {
            return try db.execute(
                sql: "DELETE FROM person_labels WHERE user = ? AND person = ?",
                arguments: [user.rawValue, person.rawValue]
            )
        }
        try db.execute(
            sql: """
                INSERT INTO person_labels (user, person, label) VALUES (?, ?, ?)
                ON CONFLICT (user, person) DO UPDATE SET label = excluded.label
                """,
            arguments: [user.rawValue, person.rawValue, label]
        )
    }
}
