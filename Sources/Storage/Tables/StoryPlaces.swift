import GRDB
public import Stories

extension StoreReader {
    /// Returns at most `limit` extracted places after a position that wait for the owner of their stories, newest first,
    /// each with its story.
    ///
    /// - Complexity: O(the owner's stories with further places).
    public func waitingPlaces(
        of owner: UserID,
        after: (createdAt: Timestamp, id: StoryID)?,
        limit: Int
    ) throws -> [(story: StoryID, place: StoryID, createdAt: Timestamp)] {
        try db.cachedStatement(
            sql: """
                SELECT place.story, place.id, ifnull(place.created_ms, 0) AS made
                FROM stories INDEXED BY stories_further_places JOIN story_places AS place ON place.story = stories.id
                WHERE stories.owner = ?1 AND stories.further_places > 0 AND NOT place.confirmed
                AND (?2 IS NULL OR made < ?2 OR (made = ?2 AND place.id > ?3)) ORDER BY made DESC, place.id LIMIT ?4
                """
        )
        .all([owner.rawValue, after?.createdAt.milliseconds, after?.id.description, limit]) { row in
            (StoryID(row["story"] as String), StoryID(row["id"] as String), row["made"] as Int64)
        }
        .compactMap { story, place, made in
            guard let story, let place else { return nil }
            return (story, place, Timestamp(milliseconds: made))
        }
    }

    /// Returns how many further places of each of the owner's stories wait for the owner; stories without one are left out.
    ///
    /// - Complexity: O(the owner's stories with further places).
    public func waitingPlaceCounts(of owner: UserID) throws -> [StoryID: Int] {
        let counts =
            try db.cachedStatement(
                sql: """
                    SELECT place.story AS story, count(*) AS places
                    FROM stories INDEXED BY stories_further_places JOIN story_places AS place ON place.story = stories.id
                    WHERE stories.owner = ?1 AND stories.further_places > 0 AND NOT place.confirmed GROUP BY place.story
                    """
            )
            .all([owner.rawValue]) { row in (StoryID(row["story"] as String), row["places"] as Int) }
        return counts.reduce(into: [:]) { counts, found in
            if let story = found.0 { counts[story] = found.1 }
        }
    }

    /// Returns the story that has a further place; the caller must still check who sees them.
    public func story(ofPlace id: StoryID) throws -> StoryID? {
        try String.fetchOne(db, sql: "SELECT story FROM story_places WHERE id = ?", arguments: [id.description])
            .flatMap { StoryID($0) }
    }

    /// Returns the stories of whose further places some have a precision limit that no longer matches the sensitive areas.
    public func outdatedPlaces() throws -> [StoryID] {
        let ids = try String.fetchAll(db, sql: "SELECT id FROM stories WHERE further_places > 0 ORDER BY id")
        return try ids.compactMap { StoryID($0) }
            .filter { id in
                guard let story = try story(id) else { return false }
                return try heldToAreas(story).places != story.places
            }
    }

    /// Returns the places with the limits that the sensitive areas require.
    func heldToAreas(_ places: [StoryPlace]) throws -> [StoryPlace] {
        try places.map { place in
            var held = place
            held.location.floor = try floor(of: place.location)
            if let shape = place.shape {
                held.location.floor = held.location.floor.stricter(try floor(of: shape.box))
            }
            return held
        }
    }
}

extension StoreTransaction {
    /// Stores the further places of a stored story in place of those it had.
    func savePlaces(of story: Story) throws {
        let known = try storedPlaces(of: story.id)
        guard !known.isEmpty || !story.places.isEmpty else { return }
        let kept = Set(story.places.map(\.id))
        for id in known.keys.sorted() where !kept.contains(id) {
            try db.cachedStatement(sql: "DELETE FROM story_places WHERE id = ?").execute(arguments: [id.description])
            noteRemoval()
        }
        for place in story.places where known[place.id] != place {
            try save(place, of: story.id, isNew: known[place.id] == nil)
        }
        // During a bulk load no trigger counts them.
        try db.cachedStatement(sql: "UPDATE stories SET further_places = ? WHERE id = ?")
            .execute(arguments: [story.places.count, story.id.description])
    }

    private func storedPlaces(of story: StoryID) throws -> [StoryID: StoryPlace] {
        let statement = try db.cachedStatement(sql: "SELECT \(PlaceRow.selection) FROM stories WHERE id = ?")
        guard let text = try String.fetchOne(statement, arguments: [story.description]) else { return [:] }
        let places = try PlaceRow.places(text, of: story)
        return Dictionary(places.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    }

    private func save(_ place: StoryPlace, of story: StoryID, isNew: Bool) throws {
        let (columns, shape) = (PlaceRow.columns, AreaShape.bytes(place))
        let values = StatementArguments(PlaceRow.arguments(place, of: story)) + [shape]
        guard isNew else {
            let assignments = columns.map { "\($0) = ?" }.joined(separator: ", ")
            try db.cachedStatement(
                sql: "UPDATE story_places SET \(assignments), geom = GeomFromWKB(?, 4326) WHERE id = ?"
            )
            .execute(arguments: values + [place.id.description])
            return
        }
        let marks = columns.map { _ in "?" }.joined(separator: ", ")
        try db.cachedStatement(
            sql: """
                INSERT INTO story_places (\(columns.joined(separator: ", ")), geom)
                VALUES (\(marks), GeomFromWKB(?, 4326))
                """
        )
        .execute(arguments: values)
    }
}
