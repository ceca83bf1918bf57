import Foundation
import GRDB
public import Stories

/// What undoing an import would do, in numbers of stories.
public struct UndoPlan: Hashable, Sendable {
    /// The stories that it created and that go.
    public var removed = 0
    /// The stories that it changed and that go back.
    public var restored = 0
    /// The stories that it removed and that come back.
    public var returned = 0
    /// The stories that stay as they are, because somebody edited them since.
    public var edited = 0
    /// The stories that stay as they are, because a later import changed or removed them.
    public var changedLater = 0
    /// The stories that cannot be put back, because it is not kept what they were.
    public var lost = 0

    /// Creates counts of zero.
    public init() {}

    /// Whether nothing is left to do.
    public var isEmpty: Bool { removed == 0 && restored == 0 && returned == 0 }
}

// What an import made, changed and removed, as far as it can be undone now.
extension StoreReader {
    /// The condition under which an import later than `:number` did something to a story.
    private static func later(_ story: String) -> String {
        "EXISTS (SELECT 1 FROM import_changes AS later WHERE later.story = \(story) AND later.import > :number)"
    }

    private static var kept: String {
        "EXISTS (SELECT 1 FROM sealed_stories WHERE sealed_stories.story = import_changes.story)"
    }

    private func arguments(_ stored: StoredImport) -> StatementArguments {
        ["owner": stored.origin.owner.rawValue, "source": stored.origin.source, "number": stored.number]
    }

    /// Returns what undoing an import would do.
    ///
    /// - Complexity: O(stories of its source).
    public func undoPlan(of stored: StoredImport) throws -> UndoPlan {
        var plan = UndoPlan()
        let created = try Row.fetchOne(
            db,
            sql: """
                SELECT count(*) FILTER (WHERE import_id > 0 AND NOT \(StoreReader.later("stories.id"))) AS removed,
                count(*) FILTER (WHERE import_id < 0) AS edited,
                count(*) FILTER (WHERE import_id > 0 AND \(StoreReader.later("stories.id"))) AS later
                FROM stories WHERE owner = :owner AND source = :source AND import_id IN (:number, -:number)
                """,
            arguments: arguments(stored)
        )
        plan.removed = created?["removed"] ?? 0
        plan.edited = created?["edited"] ?? 0
        plan.changedLater = created?["later"] ?? 0
        let (later, kept) = (StoreReader.later("import_changes.story"), StoreReader.kept)
        let changes = try Row.fetchOne(
            db,
            sql: """
                SELECT count(*) FILTER (WHERE kind = 'changed' AND NOT edited AND before IS NOT NULL AND NOT \(later))
                    AS restored,
                count(*) FILTER (WHERE kind = 'removed' AND \(kept)) AS returned,
                count(*) FILTER (WHERE kind = 'changed' AND edited) AS edited,
                count(*) FILTER (WHERE kind = 'changed' AND NOT edited AND \(later)) AS later,
                count(*) FILTER (WHERE kind = 'changed' AND NOT edited AND before IS NULL AND NOT \(later)
                    OR kind = 'removed' AND NOT \(kept)) AS lost
                FROM import_changes WHERE import = :number
                """,
            arguments: ["number": stored.number]
        )
        plan.restored = changes?["restored"] ?? 0
        plan.returned = changes?["returned"] ?? 0
        plan.edited += changes?["edited"] ?? 0
        plan.changedLater += changes?["later"] ?? 0
        plan.lost = changes?["lost"] ?? 0
        return plan
    }

    /// Returns titles of stories that undoing an import leaves as they are, because somebody edited them since.
    public func editedSince(_ stored: StoredImport, limit: Int) throws -> [(id: StoryID, title: String)] {
        try Row.fetchAll(
            db,
            sql: """
                SELECT id, title FROM stories
                WHERE owner = :owner AND source = :source AND import_id = -:number
                UNION SELECT id, title FROM stories WHERE id IN
                    (SELECT story FROM import_changes WHERE import = :number AND kind = 'changed' AND edited)
                ORDER BY title, id LIMIT \(limit)
                """,
            arguments: arguments(stored)
        )
        .compactMap { row in StoryID(row["id"] as String).map { ($0, row["title"]) } }
    }

    /// Returns at most `limit` stories that an import created and nobody changed since, after the id of a row.
    public func created(
        by stored: StoredImport,
        after sourceID: String,
        limit: Int
    ) throws -> [(id: StoryID, sourceID: String)] {
        var values = arguments(stored)
        values += ["after": sourceID, "limit": limit]
        let statement = try db.cachedStatement(
            sql: """
                SELECT id, source_id FROM stories
                WHERE owner = :owner AND source = :source AND source_id > :after AND import_id = :number
                AND NOT \(StoreReader.later("stories.id")) ORDER BY source_id LIMIT :limit
                """
        )
        return try statement.all(values) { row in StoryID(row["id"] as String).map { ($0, row["source_id"]) } }
            .compactMap(\.self)
    }

    /// Returns at most `limit` stories, after an id, that an import changed and nobody since, or that it removed and are
    /// still kept.
    public func undoable(
        of stored: StoredImport,
        after id: String,
        limit: Int
    ) throws -> [(id: StoryID, before: [UInt8]?)] {
        let statement = try db.cachedStatement(
            sql: """
                SELECT story, before FROM import_changes WHERE import = :number AND story > :after
                AND (kind = 'changed' AND NOT edited AND before IS NOT NULL
                    AND NOT \(StoreReader.later("import_changes.story")) OR kind = 'removed' AND \(StoreReader.kept))
                ORDER BY story LIMIT :limit
                """
        )
        return
            try statement.all(["number": stored.number, "after": id, "limit": limit]) { row in
                StoryID(row["story"] as String).map { ($0, (row["before"] as Data?).map { [UInt8]($0) }) }
            }
            .compactMap(\.self)
    }

    /// Returns the story that the bytes of ``storyBefore(_:)`` describe.
    ///
    /// - Throws: ``StoreError`` if they do not.
    public func read(before bytes: [UInt8]) throws -> StoryBefore { try StoryBefore(bytes: bytes) }
}

extension StoreTransaction {
    /// Gives a story its import data of before, so that its import recognizes it again, and forgets the change.
    public func restoreImportData(_ before: StoryBefore, changedBy number: Int64) throws {
        try db.cachedStatement(sql: "UPDATE stories SET import_digest = ?, import_place = ? WHERE id = ?")
            .execute(arguments: [before.digest, before.place, before.story.id.description])
        try dropChange(of: before.story.id, by: number)
    }

    /// Forgets that imports removed a story, because it is back.
    public func dropRemovals(of id: StoryID) throws {
        try db.cachedStatement(sql: "DELETE FROM import_changes WHERE story = ? AND kind = 'removed'")
            .execute(arguments: [id.description])
    }

    /// Forgets that an import changed or removed a story.
    public func dropChange(of id: StoryID, by number: Int64) throws {
        try db.cachedStatement(sql: "DELETE FROM import_changes WHERE story = ? AND import = ?")
            .execute(arguments: [id.description, number])
    }
}
