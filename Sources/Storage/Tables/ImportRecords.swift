import Foundation
import GRDB
public import Stories

// The record of imports, and which stories each of them made, changed and removed.
extension StoreReader {
    /// Returns imports, newest first: of one user or of all, at most `limit`, only those before a number if given.
    public func imports(of owner: UserID?, before number: Int64? = nil, limit: Int) throws -> [StoredImport] {
        try Row.fetchAll(
            db,
            sql: """
                SELECT * FROM imports WHERE (owner = ?1 OR ?1 IS NULL) AND number < ?2
                ORDER BY number DESC LIMIT ?3
                """,
            arguments: [owner?.rawValue, number ?? .max, limit]
        )
        .compactMap { StoredImport($0) }
    }

    /// Returns the import with a number, or `nil`.
    public func storedImport(_ number: Int64) throws -> StoredImport? {
        try Row.fetchOne(db, sql: "SELECT * FROM imports WHERE number = ?", arguments: [number])
            .flatMap { StoredImport($0) }
    }

    /// Returns the import of a user with an id, or `nil`.
    public func storedImport(_ id: String, of owner: UserID) throws -> StoredImport? {
        try Row.fetchOne(
            db,
            sql: "SELECT * FROM imports WHERE id = ? AND owner = ?",
            arguments: [id, owner.rawValue]
        )
        .flatMap { StoredImport($0) }
    }

    /// Returns the import that a request with this key began, or `nil`.
    public func storedImport(requestKey: [UInt8], of owner: UserID) throws -> StoredImport? {
        try Row.fetchOne(
            db,
            sql: "SELECT * FROM imports WHERE owner = ? AND request_key = ?",
            arguments: [owner.rawValue, Data(requestKey)]
        )
        .flatMap { StoredImport($0) }
    }

    /// Returns the newest import of a user that stored a file with this digest under another source, or `nil`.
    public func importOfSameContent(as origin: StoredImport.Origin) throws -> StoredImport? {
        try Row.fetchOne(
            db,
            sql: """
                SELECT * FROM imports WHERE owner = ? AND digest = ? AND source <> ? AND state = 'complete'
                ORDER BY number DESC LIMIT 1
                """,
            arguments: [origin.owner.rawValue, Data(origin.digest), origin.source]
        )
        .flatMap { StoredImport($0) }
    }

    /// Returns the newest import of somebody else that stored a file with this digest, which only operators may know; `nil`
    /// if there is none, or if the owner imported such a file as well.
    public func importOfSameContent(butNotOf origin: StoredImport.Origin) throws -> StoredImport? {
        try Row.fetchOne(
            db,
            sql: """
                SELECT * FROM imports WHERE digest = ?1 AND owner <> ?2 AND state = 'complete' AND NOT EXISTS
                (SELECT 1 FROM imports WHERE digest = ?1 AND owner = ?2 AND state = 'complete')
                ORDER BY number DESC LIMIT 1
                """,
            arguments: [Data(origin.digest), origin.owner.rawValue]
        )
        .flatMap { StoredImport($0) }
    }

    /// Returns the other source of a user that has most of these rows, by id and title, with their number; `nil` if none
    /// has any.
    ///
    /// - Complexity: O(rows · log stories) for each of the user's last twenty sources.
    public func otherSource(
        with rows: [(sourceID: String, title: String)],
        of owner: UserID,
        except source: String
    ) throws -> (source: String, count: Int)? {
        let sources = try String.fetchAll(
            db,
            sql: """
                SELECT source FROM imports WHERE owner = ? AND source <> ? AND state = 'complete'
                GROUP BY source ORDER BY max(number) DESC LIMIT 20
                """,
            arguments: [owner.rawValue, source]
        )
        let statement = try db.cachedStatement(
            sql: "SELECT 1 FROM stories WHERE owner = ? AND source = ? AND source_id = ? AND title = ?"
        )
        var best: (source: String, count: Int)?
        for source in sources {
            var count = 0
            for row in rows
            where try Int.fetchOne(statement, arguments: [owner.rawValue, source, row.sourceID, row.title]) != nil {
                count += 1
            }
            if count > best?.count ?? 0 { best = (source, count) }
        }
        return best
    }

    /// Returns whether stories of a source may have been removed by an import, or with one that was undone.
    public func mayHaveReturning(of owner: UserID, source: String) throws -> Bool {
        let sql = """
            SELECT 1 FROM imports WHERE owner = ? AND source = ? AND (removed > 0 OR state IN ('undoing', 'undone'))
            LIMIT 1
            """
        return try Int.fetchOne(db, sql: sql, arguments: [owner.rawValue, source]) != nil
    }

    /// Returns the number of stories of a source.
    public func storyCount(of owner: UserID, source: String) throws -> Int {
        let sql = "SELECT count(*) FROM stories WHERE owner = ? AND source = ?"
        return try Int.fetchOne(db, sql: sql, arguments: [owner.rawValue, source]) ?? 0
    }

    /// Calls `body` with every story of a source, and whether it was edited since it was imported.
    public func forEachStory(
        of owner: UserID,
        source: String,
        _ body: (_ id: StoryID, _ title: String, _ isEdited: Bool) throws -> Void
    ) throws {
        let rows = try Row.fetchCursor(
            db,
            sql: """
                SELECT id, title, ifnull(import_id, 0) < 0 AS edited FROM stories WHERE owner = ? AND source = ?
                ORDER BY source_id
                """,
            arguments: [owner.rawValue, source]
        )
        while let row = try rows.next() {
            guard let id = StoryID(row["id"] as String) else { continue }
            try body(id, row["title"], row["edited"])
        }
    }

    /// Returns the kinds of the stories of a user, or of all, which only operators may know.
    ///
    /// - Complexity: O(stories), half a second for a million.
    public func storyKinds(of owner: UserID?) throws -> Set<StoryKind> {
        let sql = "SELECT DISTINCT kind FROM stories" + (owner == nil ? "" : " WHERE owner = ?")
        let kinds = try String.fetchAll(db, sql: sql, arguments: owner.map { [$0.rawValue] } ?? [])
        return Set(kinds.compactMap { StoryKind($0) })
    }

    /// Returns everything about a story but its picture, as bytes for ``StoryBefore``; `nil` if it does not exist.
    public func storyBefore(_ id: StoryID) throws -> [UInt8]? {
        try Row.fetchOne(
            db.cachedStatement(
                sql: """
                    SELECT *, ST_X(geom) AS lon, ST_Y(geom) AS lat, \(PlaceRow.selection) AS places
                    FROM stories WHERE id = ?
                    """
            ),
            arguments: [id.description]
        )
        .map(FrozenStory.bytes)
    }

    /// Returns whether an import is recorded as running, here or in a process that ended.
    public func hasRunningImport() throws -> Bool {
        try Bool.fetchOne(db, sql: "SELECT EXISTS (SELECT 1 FROM imports WHERE state = 'running')") ?? false
    }
}

extension StoreTransaction {
    /// Records that an import begins, and returns its number.
    ///
    /// - Throws: ``StoreError`` with code `vanished` if its owner is unknown.
    public func beginImport(
        _ id: String,
        from origin: StoredImport.Origin,
        requestKey: [UInt8]? = nil,
        at now: Timestamp
    ) throws -> Int64 {
        try refuseErasing(origin.owner)
        try db.execute(
            sql: """
                INSERT INTO imports (id, owner, source, file, digest, state, started_ms, request_key)
                VALUES (?, ?, ?, ?, ?, 'running', ?, ?)
                """,
            arguments: [
                id, origin.owner.rawValue, origin.source, origin.file, Data(origin.digest), now.milliseconds,
                requestKey.map { Data($0) },
            ]
        )
        let number = db.lastInsertedRowID
        // What stories were before is kept for the newest imports only.
        try db.execute(
            sql: """
                UPDATE import_changes SET before = NULL WHERE before IS NOT NULL AND import IN
                (SELECT number FROM imports WHERE owner = ? ORDER BY number DESC LIMIT -1 OFFSET ?)
                """,
            arguments: [origin.owner.rawValue, StoreTransaction.undoableImports]
        )
        return number
    }

    /// How many imports of a user can put the stories back that they changed; older ones keep only what they created.
    public static let undoableImports = 20

    /// Records the state of an import and how far it is.
    public func saveImport(
        _ number: Int64,
        state: StoredImport.State,
        format: String?,
        counts: StoredImport.Counts,
        problems: String? = nil,
        endedAt: Timestamp?
    ) throws {
        try db.cachedStatement(
            sql: """
                UPDATE imports SET state = ?, format = ?, created = ?, changed = ?, unchanged = ?, refused = ?,
                removed = ?, problems = ?, ended_ms = ? WHERE number = ?
                """
        )
        .execute(
            arguments: [
                state.rawValue, format, counts.created, counts.changed, counts.unchanged, counts.refused,
                counts.removed, problems, endedAt?.milliseconds, number,
            ]
        )
    }

    /// Removes the record of an import that stored nothing.
    public func dropImport(_ number: Int64) throws {
        try db.execute(sql: "DELETE FROM imports WHERE number = ?", arguments: [number])
        // Nothing has this number, so the next import may.
        try db.execute(
            sql: "UPDATE sqlite_sequence SET seq = seq - 1 WHERE name = 'imports' AND seq = ?",
            arguments: [number]
        )
        try db.execute(sql: "DELETE FROM sqlite_sequence WHERE name = 'imports' AND seq = 0")
    }

    /// Records that imports ended with their process, except those that run in this one, by their ids.
    public func interruptImports(except running: Set<String>, at now: Timestamp) throws {
        let list = StoreReader.list(running.sorted())
        try db.execute(
            sql: """
                UPDATE imports SET state = 'interrupted', ended_ms = ?1 WHERE state = 'running'
                AND id NOT IN (SELECT value FROM json_each(?2))
                """,
            arguments: [now.milliseconds, list]
        )
    }

    /// Records that an import ended early.
    public func interruptImport(_ number: Int64, at now: Timestamp) throws {
        try db.execute(
            sql: "UPDATE imports SET state = 'interrupted', ended_ms = ? WHERE number = ? AND state = 'running'",
            arguments: [now.milliseconds, number]
        )
    }

    /// Records how far the undoing of an import is.
    public func noteUndoing(of number: Int64, isDone: Bool, at now: Timestamp) throws {
        try db.execute(
            sql: "UPDATE imports SET state = ?, undone_ms = ? WHERE number = ?",
            arguments: [isDone ? "undone" : "undoing", now.milliseconds, number]
        )
    }

    /// Records which import made a story.
    public func noteImport(_ number: Int64, of id: StoryID) throws {
        try db.cachedStatement(sql: "UPDATE stories SET import_id = ? WHERE id = ?")
            .execute(arguments: [number, id.description])
    }

    /// Records that an import changed a story; `before` is `nil` if that is not kept.
    ///
    /// An import that changes a story twice keeps what was before the first change.
    public func noteChange(of id: StoryID, by number: Int64, before: [UInt8]?) throws {
        try db.cachedStatement(
            sql: """
                INSERT INTO import_changes (story, import, kind, before) VALUES (?, ?, 'changed', ?)
                ON CONFLICT (story, import) DO NOTHING
                """
        )
        .execute(arguments: [id.description, number, before.map { Data($0) }])
    }

    /// Records that an import removed a story.
    public func noteRemoval(of id: StoryID, by number: Int64) throws {
        try db.cachedStatement(
            sql: "INSERT OR REPLACE INTO import_changes (story, import, kind) VALUES (?, ?, 'removed')"
        )
        .execute(arguments: [id.description, number])
    }

    /// Forgets what a story was before imports changed it, because somebody edited or deleted it since.
    func forgetBefore(of id: StoryID) throws {
        try db.cachedStatement(
            sql: "UPDATE import_changes SET edited = 1, before = NULL WHERE story = ? AND kind = 'changed'"
        )
        .execute(arguments: [id.description])
    }

    /// Lets an import bring a story back that was removed with an import, not by its owner.
    public func allowImport(of id: StoryID) throws {
        try db.cachedStatement(sql: "DELETE FROM deleted_imports WHERE story = ?").execute(arguments: [id.description])
    }
}
