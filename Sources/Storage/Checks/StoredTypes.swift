package import GRDB

/// Finds values whose type is not that of their column.
///
/// SQLite keeps what it is given: a text in a column of integers stays a text (sqlite.org/datatype3.html, §3). Readers of rows
/// rely on the types of the schema, and a value of another one would end the program. Only an edit by hand leaves such values.
package struct StoredTypes: Sendable {
    /// A column with such values.
    package struct Wrong: Hashable, Sendable {
        /// The table.
        package let table: String
        /// The column.
        package let column: String
        /// What its values should be: `text`.
        package let type: String
        /// The number of rows concerned.
        package let rows: Int

        /// What is wrong, as the end of a sentence that begins with the table.
        var words: String {
            "the table \(table) has \(rows == 1 ? "a value" : "\(rows) values") in the column \(column) other than \(type)"
        }
    }

    /// What to do about such a value.
    static let remedy =
        "Correct it with SQLite's shell while the service is stopped and run 'waymark check --accept', or restore a backup with "
        + "'waymark restore'"

    /// The tables with a row or a few for each person or thing that was made by hand, all of which are read by the service.
    package static let small = [
        "access_epochs", "api_keys", "applied_erasures", "channels", "clock", "collection_orders", "collections",
        "commit_spans",
        "consents", "devices", "digests", "ended_access", "erasure_commits", "evaluator_states", "families",
        "feed_positions",
        "imports", "invitation_messages", "invitation_tokens", "invitations", "memberships", "named_places",
        "notification_settings", "page_sessions", "passkeys", "past_memberships", "pending_visits", "provider_accounts",
        "proven_addresses", "refresh_tokens", "reports", "secrets", "sensitive_areas", "share_links", "sign_in_codes",
        "sign_ins", "unfinished_erasures", "users",
    ]
    /// The tables that grow with the stories and with use.
    package static let large = [
        "accesses", "announced", "attempts", "batch_answers", "deleted_imports", "deleted_stories", "favourites",
        "feed_log",
        "fixes", "hides", "import_changes", "ledger", "location_proposals", "notice_stories", "notices", "outbox",
        "outside_edits", "past_audiences", "person_labels", "place_words", "request_answers", "request_keys",
        "sealed_stories",
        "stories", "story_pictures", "story_places", "viewed_stories",
    ]

    /// Returns the columns with such values, in the order of the tables given; a table that cannot be read has none.
    ///
    /// - Complexity: O(rows); about 1 s for a million stories.
    package static func wrong(in db: Database, tables: [String]) throws -> [Wrong] {
        try tables.flatMap { table in
            let columns = try columns(of: table, db)
            guard !columns.isEmpty, let row = try? counts(of: columns, in: table, db) else { return [Wrong]() }
            return zip(columns, row.databaseValues)
                .compactMap { column, value in
                    guard let rows = Int.fromDatabaseValue(value), rows > 0 else { return nil }
                    return Wrong(table: table, column: column.name, type: column.type, rows: rows)
                }
        }
    }

    private struct Column {
        let name: String
        let type: String
        /// The storage classes of its values.
        let classes: [String]
    }

    /// Returns the columns whose declared type says what their values are.
    private static func columns(of table: String, _ db: Database) throws -> [Column] {
        try Row.fetchAll(db, sql: "SELECT name, type, \"notnull\" FROM pragma_table_info(?)", arguments: [table])
            .compactMap { row in
                let values = Array(row.databaseValues)
                guard values.count == 3, let name = String.fromDatabaseValue(values[0]),
                    let (type, classes) = String.fromDatabaseValue(values[1]).flatMap({ kinds[$0] })
                else { return nil }
                let isRequired = Int.fromDatabaseValue(values[2]) == 1
                return Column(name: name, type: type, classes: isRequired ? classes : classes + ["null"])
            }
    }

    private static let kinds: [String: (type: String, classes: [String])] = [
        "INTEGER": ("an integer", ["integer"]), "BIGINT": ("an integer", ["integer"]),
        "REAL": ("a number", ["real", "integer"]), "DOUBLE": ("a number", ["real", "integer"]),
        "TEXT": ("text", ["text"]), "BLOB": ("bytes", ["blob"]),
    ]

    /// Returns, for each column, the number of rows with a value of another class.
    private static func counts(of columns: [Column], in table: String, _ db: Database) throws -> Row? {
        let sums = columns.map { column in
            let classes = column.classes.map { "'\($0)'" }.joined(separator: ", ")
            return "sum(typeof(\"\(column.name)\") NOT IN (\(classes)))"
        }
        return try Row.fetchOne(db, sql: "SELECT \(sums.joined(separator: ", ")) FROM \"\(table)\"")
    }
}

extension StoryStore {
    /// Refuses a file whose values would end the service when they are read; a reader needs fewer of them, so that a backup
    /// and a check remain possible.
    ///
    /// - Throws: ``StoreError`` with code `damagedRow`.
    static func checkTypes(_ db: Database, path: String, isReader: Bool) throws {
        let tables = isReader ? ["secrets", "erasure_commits"] : StoredTypes.small
        guard let wrong = try StoredTypes.wrong(in: db, tables: tables).first else { return }
        throw StoreError(.damagedRow, "In \(path), \(wrong.words). \(StoredTypes.remedy); 'waymark check' lists all.")
    }

    /// Checks that values have the types of their columns.
    ///
    /// - Complexity: O(rows) of all tables; about 1 s for a million stories.
    package func checkTypes() async throws -> CheckReport {
        var report = CheckReport()
        let wrong = try await read { try StoredTypes.wrong(in: $0.db, tables: StoredTypes.small + StoredTypes.large) }
        report.findings = wrong.map { wrong in
            CheckFinding(
                "types",
                wrong.words.prefix(1).uppercased() + wrong.words.dropFirst() + ".",
                .byHand(StoredTypes.remedy)
            )
        }
        return report
    }
}
