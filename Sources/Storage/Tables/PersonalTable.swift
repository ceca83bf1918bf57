public import Formats
import GRDB
public import Stories

/// A table that may hold personal data: how to find a person's rows, which columns they may export, and how to erase
/// them.
///
/// A test checks this list against the schema: every table is here or in ``others``.
package struct PersonalTable: Sendable {
    /// The name of the table.
    package let table: String
    /// The name of its rows in receipts and exports.
    let name: String
    /// The condition for rows about `:user`.
    let condition: String
    /// The columns the user may export; times end in `_ms`.
    let columns: [String]
    /// The statements that erase the rows; foreign keys would remove most of these rows together with the user's own
    /// row.
    let erasure: [String]

    private init(
        _ table: String,
        _ name: String,
        where condition: String = "user = :user",
        columns: [String] = [],
        erasure: [String]? = nil
    ) {
        self.table = table
        self.name = name
        self.condition = condition
        self.columns = columns
        self.erasure = erasure ?? ["DELETE FROM \(table) WHERE \(condition)"]
    }

    /// Every such table except `users` and `stories`.
    package static let all: [PersonalTable] = [
        .init("memberships", "memberships", columns: ["family", "role", "since_ms"]),
        .init("notification_settings", "notification_settings"),
        .init("evaluator_states", "device_states"),
        .init(
            "pending_visits",
            "visits",
            columns: ["device", "place_lat", "place_lon", "kind", "at_ms", "decided_ms", "confidence"]
        ),
        .init("viewed_stories", "viewed_stories", columns: ["story", "at_ms"]),
        .init("devices", "devices", columns: ["device", "permission", "platform", "updated_ms"]),
        .init(
            "fixes",
            "fixes",
            columns: ["device", "time_ms", "received_ms", "lat", "lon", "accuracy", "speed", "course", "outcome"]
        ),
        .init("ledger", "told_stories"),
        .init("notices", "notifications"),
        .init("feed_log", "feed_events", columns: ["position", "at_ms", "event", "notice"]),
        .init("feed_positions", "feed_positions", columns: ["latest", "seen"]),
        .init(
            "channels",
            "channels",
            columns: ["id", "kind", "name", "state", "reason", "created_ms", "delivered_ms"]
        ),
        .init(
            "outbox",
            "deliveries",
            columns: ["channel", "message", "type", "state", "reason", "attempts", "created_ms", "ended_ms"]
        ),
        .init("digests", "digests", columns: ["window", "at_ms"]),
        // A user may not read others' labels for them, but these labels are erased with the user's account.
        .init(
            "person_labels",
            "labels",
            columns: ["person", "label"],
            erasure: ["DELETE FROM person_labels WHERE user = :user OR person = :user"]
        ),
        .init("request_keys", "request_keys", columns: ["key", "story", "created_ms"]),
        .init("batch_answers", "batch_answers", columns: ["key", "created_ms"]),
        .init("request_answers", "request_answers", columns: ["created_ms"]),
        .init("consents", "consents", columns: ["at_ms", "kind", "version", "action", "source"]),
        .init(
            "accesses",
            "accesses",
            where: "owner = :user OR reader IN (:user, 'token:' || :user)",
            erasure: [
                "DELETE FROM accesses WHERE owner = :user",
                """
                INSERT OR IGNORE INTO accesses SELECT owner, day, story, '' FROM accesses
                WHERE reader IN (:user, 'token:' || :user)
                """,
                "DELETE FROM accesses WHERE reader IN (:user, 'token:' || :user)",
            ]
        ),
        .init(
            "api_keys",
            "keys",
            columns: ["id", "kind", "name", "device", "scopes", "created_ms", "expires_ms", "used_ms"]
        ),
        .init("sign_ins", "sign_ins", columns: ["id", "scopes", "created_ms", "expires_ms"]),
        .init(
            "page_sessions",
            "page_sessions",
            columns: ["id", "label", "created_ms", "expires_ms", "used_ms"]
        ),
        .init("passkeys", "passkeys", columns: ["id", "name", "party", "synced", "created_ms", "used_ms"]),
        .init(
            "share_links",
            "share_links",
            where: "owner = :user",
            columns: ["id", "story", "collection", "precision", "created_ms", "expires_ms", "used_ms"]
        ),
        .init("sign_in_codes", "sign_in_codes", columns: ["kind", "created_ms", "expires_ms", "used_ms"]),
        .init(
            "provider_accounts",
            "provider_accounts",
            columns: ["id", "issuer", "subject", "created_ms", "used_ms"]
        ),
        .init("proven_addresses", "proven_addresses", columns: ["email", "at_ms"]),
        .init("access_epochs", "access_epochs"),
        .init(
            "invitations",
            "invitations",
            // Exclude invitations sent to the user's e-mail address: the user must not learn of them before accepting.
            where: "invitee = :user OR inviter = :user",
            columns: ["id", "family", "inviter", "invitee", "role", "state", "created_ms", "expires_ms"],
            erasure: [
                // Invitations sent to the address stay: nobody has proven yet that the address is the user's.
                "DELETE FROM invitations WHERE invitee = :user",
                """
                UPDATE invitations SET state = iif(state = 'pending', 'cancelled', state), email = NULL, inviter = NULL
                WHERE inviter = :user
                """,
            ]
        ),
        // The export contains the pictures themselves as files.
        .init(
            "story_pictures",
            "pictures",
            where: "story IN (SELECT id FROM stories WHERE owner = :user)",
            columns: ["story", "media_type", "width", "height", "updated_ms"]
        ),
        .init(
            "import_changes",
            "import_changes",
            where: "import IN (SELECT number FROM imports WHERE owner = :user)",
            columns: ["story", "kind", "edited"]
        ),
        .init(
            "imports",
            "imports",
            where: "owner = :user",
            columns: [
                "id", "source", "file", "format", "state", "started_ms", "ended_ms", "undone_ms", "created", "changed",
                "unchanged", "refused", "removed",
            ]
        ),
        .init("hides", "hides", columns: ["story", "at_ms", "until_ms"]),
        .init("favourites", "favourites", columns: ["story", "at_ms"]),
        .init(
            "collection_orders",
            "collection_orders",
            where: "collection IN (SELECT id FROM collections WHERE owner = :user)",
            columns: ["collection", "story", "position"]
        ),
        .init(
            "collections",
            "collections",
            where: "owner = :user",
            columns: ["id", "title", "text", "privacy", "family", "created_ms"]
        ),
        .init(
            "location_proposals",
            "location_proposals",
            where: "owner = :user",
            columns: ["id", "story", "lat", "lon", "created_ms"]
        ),
        .init(
            "place_words",
            "place_words",
            where: "story IN (SELECT id FROM stories WHERE owner = :user)",
            columns: ["story", "words", "state", "confidence", "kind", "place", "updated_ms"]
        ),
        .init(
            "story_places",
            "story_places",
            where: "story IN (SELECT id FROM stories WHERE owner = :user)",
            columns: [
                "id", "story", "role", "seconds", "source", "precision", "cell", "place_name", "address", "city",
                "state", "country", "confirmed", "created_ms", "updated_ms",
            ]
        ),
        .init(
            "named_places",
            "named_places",
            where: "owner = :user",
            columns: [
                "id", "name", "lat", "lon", "radius", "privacy", "family", "created_ms", "updated_ms",
            ]
        ),
        .init(
            "reports",
            "reports",
            where: "reporter = :user",
            columns: ["id", "story", "reason", "text", "status", "created_ms"],
            erasure: [
                "DELETE FROM reports WHERE reporter = :user AND status <> 'actioned'",
                "UPDATE reports SET text = NULL, reporter = NULL WHERE reporter = :user",
            ]
        ),
        // Others' records about a deleted story go with it, and it is not remembered as imported.
        .init(
            "sealed_stories",
            "deleted_stories_kept",
            where: "owner = :user",
            columns: ["story", "deleted_ms"],
            erasure: [
                "DELETE FROM deleted_imports WHERE story IN (SELECT story FROM sealed_stories WHERE owner = :user)",
                "DELETE FROM hides WHERE story IN (SELECT story FROM sealed_stories WHERE owner = :user)",
                "DELETE FROM favourites WHERE story IN (SELECT story FROM sealed_stories WHERE owner = :user)",
                "DELETE FROM viewed_stories WHERE story IN (SELECT story FROM sealed_stories WHERE owner = :user)",
                "DELETE FROM collection_orders WHERE story IN (SELECT story FROM sealed_stories WHERE owner = :user)",
                "DELETE FROM import_changes WHERE story IN (SELECT story FROM sealed_stories WHERE owner = :user)",
                """
                UPDATE reports SET text = NULL, note = NULL
                WHERE story IN (SELECT story FROM sealed_stories WHERE owner = :user)
                """,
                "DELETE FROM sealed_stories WHERE owner = :user",
            ]
        ),
        .init("deleted_stories", "deleted_stories", where: "owner = :user", columns: ["story"]),
        // A pseudonym replaces the user; see ``StoreTransaction/forgetAudience(of:as:)``.
        .init("past_audiences", "past_audiences", where: "owner = :user", erasure: []),
        .init("past_memberships", "past_memberships", erasure: []),
    ]

    /// The tables not in ``all``: those without personal data, and those whose data is handled with the user's stories
    /// and own row.
    package static let others: Set<String> = [
        "users", "stories", "families", "secrets", "clock", "deleted_imports", "applied_erasures", "invitation_tokens",
        "refresh_tokens", "ended_access", "sensitive_areas", "notice_stories", "commit_spans", "attempts",
        "erasure_commits", "invitation_messages", "outside_edits", "unfinished_erasures", "announced",
    ]
}

extension StoreReader {
    /// Returns the numbers of rows about a user by kind of content, in the order of the catalogue.
    public func personalCounts(of user: UserID) throws -> [(name: String, count: Int)] {
        try PersonalTable.all.map { table in
            let sql = "SELECT count(*) FROM \(table.table) WHERE \(table.condition)"
            return (table.name, try Int.fetchOne(db, sql: sql, arguments: ["user": user.rawValue]) ?? 0)
        }
    }

    /// Writes the catalogue's rows about a user as members of an object, each a list; times as RFC 3339.
    public func writePersonalRows(of user: UserID, to json: inout JSONWriter) throws {
        for table in PersonalTable.all where !table.columns.isEmpty {
            json.key(table.name)
            json.beginArray()
            let columns = table.columns.joined(separator: ", ")
            let rows = try Row.fetchCursor(
                db,
                sql: "SELECT \(columns) FROM \(table.table) WHERE \(table.condition) ORDER BY \(columns)",
                arguments: ["user": user.rawValue]
            )
            while let row = try rows.next() { StoreReader.write(row, to: &json) }
            json.endArray()
        }
    }

    private static func write(_ row: Row, to json: inout JSONWriter) {
        json.beginObject()
        for (column, value) in row {
            let isTime = column.hasSuffix("_ms")
            let name = isTime ? String(column.dropLast(3)) + (column == "at_ms" ? "" : "_at") : column
            switch value.storage {
            case .int64(let number):
                if isTime {
                    json.member(name, RFC3339.format(Timestamp(milliseconds: number)))
                } else {
                    json.member(name, Int(number))
                }
            case .double(let number): json.member(name, number)
            case .string(let text): json.member(name, text)
            case .blob: continue
            case .null:
                json.key(name)
                json.null()
            }
        }
        json.endObject()
    }
}

extension StoreTransaction {
    /// Deletes or empties all rows about a user in the catalogue's tables, and deletes the user: the last piece of an
    /// erasure.
    ///
    /// By then, the stories and most of the other rows must be gone; see ``eraseRows(of:limit:)``.
    public func erasePersonalRows(of erasure: UnfinishedErasure) throws {
        let user = erasure.user
        for statement in PersonalTable.all.flatMap(\.erasure) {
            try db.execute(sql: statement, arguments: ["user": user.rawValue])
        }
        try forgetAudience(of: user, as: erasure.pseudonym)
        noteAccess(of: user)
        try db.execute(sql: "DELETE FROM users WHERE id = ?", arguments: [user.rawValue])
    }
}
