import Foundation
import GRDB
import Geometry
import Notifications
public import Stories

extension StoreReader {
    /// Returns the story with an id, or `nil`.
    ///
    /// - Throws: ``StoreError`` or a database error if the row cannot be read.
    public func story(_ id: StoryID) throws -> Story? {
        let statement = try db.cachedStatement(
            sql: "SELECT \(StoryRow.selection(withText: true)) FROM stories WHERE id = ?"
        )
        return try statement.first([id.description]) { try StoryRow.story($0, withText: true) }
    }

    /// Returns the stories with the given ids; ids without a readable story are left out.
    ///
    /// Texts, which can be long, may be omitted if only titles, kinds and places are needed.
    public func stories(_ ids: [StoryID], withText: Bool = true) throws -> [StoryID: Story] {
        try stories(ids, withText: withText, where: "id IN (SELECT value FROM json_each(?))", [])
    }

    /// Returns the stories among the given ids that the viewer may see.
    public func stories(
        _ ids: [StoryID],
        visibleTo viewer: Viewer,
        withText: Bool = true
    ) throws -> [StoryID: Story] {
        let (visible, arguments) = StoreReader.visibility(to: viewer)
        let seen = """
            SELECT fid FROM stories INDEXED BY stories_visibility
            WHERE id IN (SELECT value FROM json_each(?)) AND \(visible)
            """
        return try stories(ids, withText: withText, where: "fid IN (\(seen))", arguments)
    }

    /// Returns the stories among `ids` that meet a condition, whose first argument is the list of ids.
    private func stories(
        _ ids: [StoryID],
        withText: Bool,
        where condition: String,
        _ arguments: [String]
    ) throws -> [StoryID: Story] {
        guard !ids.isEmpty else { return [:] }
        let columns = StoryRow.selection(withText: withText)
        let statement = try db.cachedStatement(
            sql: "SELECT \(columns) FROM stories WHERE \(condition) AND \(StoreReader.hasAccount)"
        )
        let list = StoreReader.list(ids.map(\.description))
        let rows = try Row.fetchCursor(statement, arguments: StatementArguments([list] + arguments))
        var found: [StoryID: Story] = [:]
        while let row = try rows.next() {
            // A row that another program left unreadable is reported where it is taken over; here it must not keep the
            // others from being read.
            guard let story = try? StoryRow.story(row, withText: withText) else { continue }
            found[story.id] = story
        }
        return found
    }

    /// Returns ranges of the keys of stories that together hold every story, each about as many; one range for few.
    ///
    /// Readers on several connections can so share the work of reading all stories.
    package func storyRanges(_ count: Int) throws -> [ClosedRange<Int64>] {
        let ends: Row?
        do {
            ends = try Row.fetchOne(db, sql: "SELECT min(fid) AS first, max(fid) AS last FROM stories NOT INDEXED")
        } catch let error as DatabaseError where error.isDamage {
            ends = nil
        }
        guard let first = ends?["first"] as Int64?, let last = ends?["last"] as Int64?, count > 1, first >= 0,
            last - first > 10_000
        else { return [Int64.min...Int64.max] }
        let span = last - first
        let bounds = (1..<Int64(count)).map { first + span / Int64(count) * $0 }
        let starts = [Int64.min] + bounds
        return zip(starts, bounds.map { $0 - 1 } + [Int64.max]).map { $0...$1 }
    }

    /// Calls `body` with every story whose key is in a range, without its text, in no particular order, and returns the
    /// rows that could not be read because their pages are damaged.
    ///
    /// Also leaves out rows that another program made unreadable; they are reported when its changes are taken over.
    @discardableResult
    package func forEachStory(
        in keys: ClosedRange<Int64> = Int64.min...Int64.max,
        _ body: (Story) throws -> Void
    ) throws -> UnreadableRows {
        let statement = try db.cachedStatement(
            sql: """
                SELECT fid, \(StoryRow.selection(withText: false)) FROM stories NOT INDEXED
                WHERE fid >= ? AND fid <= ? AND \(StoreReader.hasAccount) ORDER BY fid
                """
        )
        let columns = try StoryColumns(names: ["fid"] + StoryColumns.names(withText: false))
        var damaged = DamagedTable(db, table: "stories", key: "fid", index: "stories_by_owner", last: keys.upperBound)
        var next = keys.lowerBound
        // The last key that was read, or that cannot be.
        var last = next == .min ? next : next - 1
        var failure: (any Error)?
        while true {
            do {
                // Not `fid > last`, which would look for the last row on its page, even if that is the damaged one.
                let rows = try Row.fetchCursor(statement, arguments: [next, keys.upperBound])
                while failure == nil, let row = try rows.next() {
                    last = row[0]
                    guard let story = try? StoryRow.story(row, columns) else { continue }
                    // An error thrown by `body` does not mean that the table is damaged.
                    do { try body(story) } catch { failure = error }
                }
                if let failure { throw failure }
                return damaged.unreadable
            } catch let error as DatabaseError where error.isDamage && failure == nil {
                guard let found = try damaged.next(after: last), found <= keys.upperBound else {
                    return damaged.unreadable
                }
                (next, last) = (found, found - 1)
            }
        }
    }

    /// The condition under which the viewer is family to a row: kin of its owner, or a member of the family it names.
    static func kinship(of viewer: Viewer) -> (sql: String, arguments: [String]) {
        let (kin, families) = (viewer.kin.sorted(), viewer.families.keys.sorted())
        let sql = """
            CASE WHEN family IS NULL THEN owner IN (SELECT value FROM json_each(?))
            ELSE family IN (SELECT value FROM json_each(?)) END
            """
        return (sql, [list(kin.map(\.rawValue)), list(families.map(\.rawValue))])
    }

    /// The condition under which the viewer may see the story of a row: ``Story/isVisible(to:)`` in SQL.
    static func visibility(to viewer: Viewer) -> (sql: String, arguments: [String]) {
        guard let user = viewer.user else {
            return ("(privacy = 'public' AND NOT auto_private AND NOT withheld AND \(hasAccount))", [])
        }
        let (isFamily, family) = kinship(of: viewer)
        let sql = """
            ((owner = ? OR (NOT auto_private AND NOT withheld
            AND (privacy = 'public' OR (privacy = 'family_only' AND \(isFamily))))) AND \(hasAccount))
            """
        return (sql, [user.rawValue] + family)
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

    /// Returns the user's stories whose position is revealed, by other stories of the same day, more exactly than
    /// shown.
    ///
    /// See ``Story/isNarrowed(by:)``.
    ///
    /// - Complexity: at most 100 rows for each of the user's own stories that has a day and is shown at reduced
    ///   precision.
    public func narrowed(of owner: UserID, among stories: some Sequence<Story>) throws -> Set<StoryID> {
        let statement = try db.cachedStatement(
            sql: """
                SELECT \(StoryRow.selection(withText: false)) FROM stories INDEXED BY stories_owner_day
                WHERE owner = ?1 AND first_day = ?2 AND last_day = ?2 AND privacy <> 'private' AND geom IS NOT NULL LIMIT 100
                """
        )
        var narrowed: Set<StoryID> = []
        for story in stories where story.owner == owner && (story.location?.published ?? .exact) != .exact {
            guard let day = story.day else { continue }
            let others = try statement.all([owner.rawValue, day.description]) {
                try StoryRow.story($0, withText: false)
            }
            if others.contains(where: story.isNarrowed) { narrowed.insert(story.id) }
        }
        return narrowed
    }

    /// Returns how often each story has moved by more than 50 m.
    public func locationEpochs(_ ids: [StoryID]) throws -> [StoryID: Int] {
        let statement = try db.cachedStatement(sql: "SELECT location_epoch FROM stories WHERE id = ?")
        var epochs: [StoryID: Int] = [:]
        for id in ids { epochs[id] = try Int.fetchOne(statement, arguments: [id.description]) }
        return epochs
    }
}

extension StoreTransaction {
    /// Stores a new story with its precision limited by the sensitive areas.
    ///
    /// - Throws: ``StoreError`` with code `conflict` if its id, client id or source id already exists.
    package func insert(_ story: Story) throws {
        _ = try insertHeld(story)
    }

    /// Stores a new story and returns it as stored.
    ///
    /// The sensitive areas limit its precision, and it is private while its owner's account is (PRV-05).
    ///
    /// - Throws: ``StoreError`` with code `conflict` if its id, client id or source id already exists.
    public func insertHeld(_ given: Story) throws -> Story {
        try refuseErasing(given.owner)
        var story = try heldToAreas(given)
        if try isAutoPrivate(account: story.owner) { story.autoPrivate = true }
        let marks = StoryRow.columns.map { _ in "?" }.joined(separator: ", ")
        let statement = try db.cachedStatement(
            sql: """
                INSERT INTO stories (\(StoryRow.columns.joined(separator: ", ")), anchor_lat, anchor_lon,
                layer, layer_stamp, shown_stamp, trusted_stamp, touched_stamp, geom)
                VALUES (\(marks), ?, ?, ?, ?, ?, ?, ?, CASE WHEN ? IS NULL THEN NULL ELSE MakePoint(?, ?, 4326) END)
                """
        )
        let anchor = story.publishedPoint
        let end: [(any DatabaseValueConvertible)?] = [anchor?.latitude, anchor?.longitude]
        try statement.execute(
            arguments: StatementArguments(
                StoryRow.arguments(story) + end + audienceArguments(story) + geometryArguments(story)
            )
        )
        if !story.places.isEmpty { try savePlaces(of: story) }
        try noteStored(story)
        return story
    }

    /// Replaces a stored story, with its precision limited by the sensitive areas; see ``updateHeld(_:)``.
    package func update(_ story: Story) throws {
        _ = try updateHeld(story)
    }

    /// Replaces a stored story and returns it as stored, with its precision limited by the sensitive areas.
    ///
    /// The story's location epoch increases if its point and its published point move by more than 50 m from where it
    /// was last announced. A change of the shown precision alone does not lead to an announcement.
    /// `isEdit` is `false` if an import makes the change, so that an earlier one can still be undone.
    public func updateHeld(_ given: Story, isEdit: Bool = true) throws -> Story {
        let story = try heldToAreas(given)
        let assignments = StoryRow.columns.map { "\($0) = ?" }.joined(separator: ", ")
        let statement = try db.cachedStatement(
            sql: """
                UPDATE stories SET \(assignments),
                import_id = iif(?, -abs(import_id), import_id),
                geom = CASE WHEN ? IS NULL THEN NULL ELSE MakePoint(?, ?, 4326) END WHERE id = ?
                """
        )
        try noteAudience(of: story)
        try moveAnchor(of: story)
        try statement.execute(
            arguments: StatementArguments(
                StoryRow.arguments(story) + [isEdit] + geometryArguments(story) + [story.id.description]
            )
        )
        try savePlaces(of: story)
        if isEdit { try forgetBefore(of: story.id) }
        try removePictures(of: story.id, except: story.picture)
        try noteStored(story)
        return story
    }

    /// Removes a story and everything that would still reveal its position; its import does not bring it back.
    public func deleteStory(_ id: StoryID) throws {
        try noteDisappearance(of: id)
        try noteRemoved(id)
        try db.execute(
            sql: "INSERT OR IGNORE INTO deleted_imports SELECT id FROM stories WHERE id = ? AND source IS NOT NULL",
            arguments: [id.description]
        )
        // A deleted row leaves its box in the free cells of the R*Tree, so move it away first.
        try db.execute(
            sql: "UPDATE stories SET geom = MakePoint(0, 0, 4326) WHERE id = ? AND geom IS NOT NULL",
            arguments: [id.description]
        )
        // A sealed story contains its picture.
        try removePictures(of: id, except: nil)
        // Nor does what an import found before it changed the story outlive it.
        try forgetBefore(of: id)
        // A story that is restored later is not shared again by links of before.
        try removeShareLinks(to: id)
        try db.execute(sql: "DELETE FROM story_places WHERE story = ?", arguments: [id.description])
        try db.execute(sql: "DELETE FROM stories WHERE id = ?", arguments: [id.description])
        // For a sealed story, hides, favourites and views are kept; see ``purgeSealed(deletedUpTo:limit:)``.
        for table in ["hides", "favourites", "viewed_stories", "collection_orders", "import_changes"] {
            try db.execute(
                sql: """
                    DELETE FROM \(table) WHERE story = ?1
                    AND NOT EXISTS (SELECT 1 FROM sealed_stories WHERE story = ?1)
                    """,
                arguments: [id.description]
            )
        }
    }

    private func geometryArguments(_ story: Story) -> [(any DatabaseValueConvertible)?] {
        let point = story.location?.coordinate
        return [point?.longitude, point?.longitude, point?.latitude]
    }

    private func moveAnchor(of story: Story) throws {
        // While a story is hidden, no one is notified of it; when it is shown again at the same place, it is not
        // announced.
        guard let point = story.publishedPoint,
            let row = try Row.fetchOne(
                db,
                sql: """
                    SELECT anchor_lat, anchor_lon, location_epoch, ST_X(geom) AS lon, ST_Y(geom) AS lat
                    FROM stories WHERE id = ?
                    """,
                arguments: [story.id.description]
            )
        else { return }
        let anchor = (row["anchor_lat"] as Double?)
            .flatMap { latitude in
                (row["anchor_lon"] as Double?).flatMap { Coordinate(latitude: latitude, longitude: $0) }
            }
        var epoch = anchor.map { LocationEpoch(number: row["location_epoch"], anchor: $0) }
        let isAtTheSamePoint =
            story.location?.coordinate.latitude == row["lat"] as Double?
            && story.location?.coordinate.longitude == row["lon"] as Double?
        let number = epoch?.number
        epoch?.move(to: point)
        if isAtTheSamePoint, let number, epoch?.number != number {
            epoch = LocationEpoch(number: number, anchor: point)
        }
        try db.execute(
            sql: "UPDATE stories SET anchor_lat = ?, anchor_lon = ?, location_epoch = ? WHERE id = ?",
            arguments: [
                (epoch?.anchor ?? point).latitude, (epoch?.anchor ?? point).longitude, epoch?.number ?? 0,
                story.id.description,
            ]
        )
    }
}
