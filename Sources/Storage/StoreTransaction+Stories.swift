import Foundation
import GRDB
import Geometry
public import Stories

extension StoreTransaction {
    /// Returns the story with an id, or `nil`.
    public func story(_ id: StoryID) throws -> Story? {
        try stories([id])[id]
    }

    /// Returns the stories with the given ids; ids without a story are left out.
    public func stories(_ ids: [StoryID]) throws -> [StoryID: Story] {
        var found: [StoryID: Story] = [:]
        // SQLite allows 32,766 variables in a statement; a few hundred keep its text short.
        for start in stride(from: 0, to: ids.count, by: 400) {
            let part = ids[start..<min(start + 400, ids.count)].map(\.description)
            let marks = String(repeating: "?,", count: part.count).dropLast()
            let sql = "SELECT \(StoryRow.selection(withText: true)) FROM stories WHERE id IN (\(marks))"
            for row in try Row.fetchAll(db, sql: sql, arguments: StatementArguments(part)) {
                let story = try StoryRow.story(row)
                found[story.id] = story
            }
        }
        return found
    }

    /// Calls `body` with every story, without its text, in no particular order.
    public func forEachStory(_ body: (Story) throws -> Void) throws {
        let rows = try Row.fetchCursor(db, sql: "SELECT \(StoryRow.selection(withText: false)) FROM stories")
        while let row = try rows.next() { try body(try StoryRow.story(row)) }
    }

    /// Returns the ids of the stories whose text holds every one of `words`, without regard to case.
    ///
    /// Words are matched anywhere, also inside other words; a story matches or not independently of all others.
    public func storyIDs(containing words: [String]) throws -> Set<StoryID> {
        let conditions = words.map { _ in "instr(search_text, ?) > 0" }.joined(separator: " AND ")
        let sql = "SELECT id FROM stories" + (words.isEmpty ? "" : " WHERE \(conditions)")
        let ids = try String.fetchAll(db, sql: sql, arguments: StatementArguments(words.map { $0.lowercased() }))
        return Set(ids.compactMap { StoryID($0) })
    }

    /// Returns the owner's story that a client stored under its own id, or `nil`.
    public func storyID(owner: UserID, clientID: String) throws -> StoryID? {
        try String.fetchOne(
            db,
            sql: "SELECT id FROM stories WHERE owner = ? AND client_id = ?",
            arguments: [owner.rawValue, clientID]
        )
        .flatMap { StoryID($0) }
    }

    /// Returns the story that an earlier import made of a source's row, and the digest of that row; or `nil`.
    public func imported(owner: UserID, source: String, sourceID: String) throws -> (id: StoryID, digest: [UInt8])? {
        let statement = try db.cachedStatement(
            sql: "SELECT id, import_digest FROM stories WHERE owner = ? AND source = ? AND source_id = ?"
        )
        guard let row = try Row.fetchOne(statement, arguments: [owner.rawValue, source, sourceID]),
            let id = StoryID(row["id"] as String)
        else { return nil }
        return (id, [UInt8](row["import_digest"] ?? Data()))
    }

    /// Stores a new story.
    ///
    /// - Throws: ``StoreError`` with code `conflict` when its id, client id or source id exists already.
    public func insert(_ story: Story, importDigest: [UInt8]? = nil) throws {
        let marks = StoryRow.columns.map { _ in "?" }.joined(separator: ", ")
        let statement = try db.cachedStatement(
            sql: """
                INSERT INTO stories (\(StoryRow.columns.joined(separator: ", ")), import_digest, anchor_lat, anchor_lon, geom)
                VALUES (\(marks), ?, ?, ?, CASE WHEN ? IS NULL THEN NULL ELSE MakePoint(?, ?, 4326) END)
                """
        )
        let anchor = story.publishedPoint ?? story.location?.coordinate
        let end: [(any DatabaseValueConvertible)?] = [
            importDigest.map { Data($0) }, anchor?.latitude, anchor?.longitude,
        ]
        try statement.execute(
            arguments: StatementArguments(StoryRow.arguments(story) + end + geometryArguments(story))
        )
    }

    /// Replaces a stored story.
    ///
    /// Its location epoch rises when its published point moves by more than 50 m from where it was last told.
    public func update(_ story: Story, importDigest: [UInt8]? = nil) throws {
        let assignments = StoryRow.columns.map { "\($0) = ?" }.joined(separator: ", ")
        let statement = try db.cachedStatement(
            sql: """
                UPDATE stories SET \(assignments), import_digest = coalesce(?, import_digest),
                geom = CASE WHEN ? IS NULL THEN NULL ELSE MakePoint(?, ?, 4326) END WHERE id = ?
                """
        )
        try moveAnchor(of: story)
        let digest: [(any DatabaseValueConvertible)?] = [importDigest.map { Data($0) }]
        try statement.execute(
            arguments: StatementArguments(
                StoryRow.arguments(story) + digest + geometryArguments(story) + [story.id.description]
            )
        )
    }

    /// Removes a story and what would still tell where it was.
    public func deleteStory(_ id: StoryID) throws {
        // A deleted row leaves its box in the free cells of the R*Tree: move it away first.
        try db.execute(
            sql: "UPDATE stories SET geom = MakePoint(0, 0, 4326) WHERE id = ? AND geom IS NOT NULL",
            arguments: [id.description]
        )
        try db.execute(sql: "DELETE FROM stories WHERE id = ?", arguments: [id.description])
    }

    /// Returns how often each story has moved by more than 50 m.
    public func locationEpochs(_ ids: [StoryID]) throws -> [StoryID: Int] {
        let statement = try db.cachedStatement(sql: "SELECT location_epoch FROM stories WHERE id = ?")
        var epochs: [StoryID: Int] = [:]
        for id in ids { epochs[id] = try Int.fetchOne(statement, arguments: [id.description]) }
        return epochs
    }

    private func geometryArguments(_ story: Story) -> [(any DatabaseValueConvertible)?] {
        let point = story.location?.coordinate
        return [point?.longitude, point?.longitude, point?.latitude]
    }

    private func moveAnchor(of story: Story) throws {
        guard let point = story.publishedPoint ?? story.location?.coordinate,
            let row = try Row.fetchOne(
                db,
                sql: "SELECT anchor_lat, anchor_lon FROM stories WHERE id = ?",
                arguments: [story.id.description]
            )
        else { return }
        let anchor = (row["anchor_lat"] as Double?)
            .flatMap { latitude in
                (row["anchor_lon"] as Double?).flatMap { Coordinate(latitude: latitude, longitude: $0) }
            }
        if let anchor, GreatCircle.distance(anchor, point) <= 50 { return }
        let step = anchor == nil ? 0 : 1
        try db.execute(
            sql: "UPDATE stories SET anchor_lat = ?, anchor_lon = ?, location_epoch = location_epoch + ? WHERE id = ?",
            arguments: [point.latitude, point.longitude, step, story.id.description]
        )
    }
}
