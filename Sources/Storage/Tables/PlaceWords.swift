import GRDB
public import Stories

/// What an archive says in words about the place of a story, with what became of it.
public struct StoredPlaceWords: Hashable, Sendable {
    /// What became of the words.
    public enum State: String, Sendable {
        /// No place was found yet.
        case waiting
        /// A program found the place.
        case located
        /// A person chose the place.
        case chosen
        /// A person said that there is none.
        case none
    }

    /// The words as JSON.
    public var words: String
    /// How exactly the row wants a place shown.
    public var precision: LocationPrecision
    /// Whether the row lets family members see an exact point.
    public var familySeesExact: Bool
    /// Whether a program extracted the words.
    public var isExtracted: Bool
    /// What became of them.
    public var state: State
    /// The probability of the place that was found, 0...1.
    public var confidence: Double?
    /// The kind of that place.
    public var kind: String?
    /// The identifier of that place in its source.
    public var place: String?

    /// Creates words that wait for a place.
    public init(words: String, precision: LocationPrecision, familySeesExact: Bool, isExtracted: Bool) {
        self.words = words
        self.precision = precision
        self.familySeesExact = familySeesExact
        self.isExtracted = isExtracted
        state = .waiting
    }
}

/// A story without a location, with the words that may say where it is.
public struct UnlocatedStory: Sendable {
    /// The story.
    public let id: StoryID
    /// Its owner.
    public let owner: UserID
    /// The name of its import, or an empty text.
    public let source: String
    /// Its id in that import, or an empty text.
    public let sourceID: String
    /// Its title.
    public let title: String
    /// The words.
    public let words: StoredPlaceWords
}

extension StoreReader {
    /// Returns the words about the place of a story, or `nil`.
    public func placeWords(of story: StoryID) throws -> StoredPlaceWords? {
        try db.cachedStatement(sql: "SELECT * FROM place_words WHERE story = ?")
            .first([story.description], PlaceWordsRow.words)
    }

    /// Returns at most `limit` stories after an id that have no location and whose words wait for one, by id.
    ///
    /// Only those of an owner or of an import if given. A location that its owner removed is not looked for again.
    public func unlocatedStories(
        of owner: UserID?,
        source: String?,
        after id: StoryID?,
        limit: Int
    ) throws -> [UnlocatedStory] {
        try db.cachedStatement(
            sql: """
                SELECT w.*, s.id AS story_id, s.owner AS story_owner, s.source AS story_source,
                s.source_id AS story_source_id, s.title AS story_title
                FROM place_words w JOIN stories s ON s.id = w.story
                WHERE w.state = 'waiting' AND s.location_source IS NULL AND s.location_removed = 0 AND w.story > ?1
                AND (?2 IS NULL OR s.owner = ?2) AND (?3 IS NULL OR s.source = ?3)
                ORDER BY w.story LIMIT ?4
                """
        )
        .all([id?.description ?? "", owner?.rawValue, source, limit]) { row in
            guard let id = StoryID(row["story_id"] as String), let owner = UserID(row["story_owner"] as String) else {
                return nil
            }
            return UnlocatedStory(
                id: id,
                owner: owner,
                source: row["story_source"] ?? "",
                sourceID: row["story_source_id"] ?? "",
                title: row["story_title"],
                words: PlaceWordsRow.words(row)
            )
        }
        .compactMap(\.self)
    }

    /// Returns the number of stories without a location that have no words either; only those of an owner or an import
    /// if given.
    public func wordlessStories(of owner: UserID?, source: String?) throws -> Int {
        let sql = """
            SELECT count(*) FROM stories s WHERE s.location_source IS NULL AND s.location_removed = 0
            AND (?1 IS NULL OR s.owner = ?1) AND (?2 IS NULL OR s.source = ?2)
            AND NOT EXISTS (SELECT 1 FROM place_words w WHERE w.story = s.id)
            """
        return try Int.fetchOne(db, sql: sql, arguments: [owner?.rawValue, source]) ?? 0
    }
}

extension StoreTransaction {
    /// Stores the words about the place of a stored story, in place of earlier ones.
    public func save(_ words: StoredPlaceWords, of story: StoryID, at now: Timestamp) throws {
        let statement = try db.cachedStatement(
            sql: """
                INSERT OR REPLACE INTO place_words (story, words, precision, cell, family_sees_exact, extracted, state,
                confidence, kind, place, updated_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """
        )
        try statement.execute(arguments: [
            story.description, words.words, words.precision.name, words.precision.cell?.degrees, words.familySeesExact,
            words.isExtracted, words.state.rawValue, words.confidence, words.kind, words.place, now.milliseconds,
        ])
    }

    /// Removes the words about the place of a story.
    public func removePlaceWords(of story: StoryID) throws {
        try db.cachedStatement(sql: "DELETE FROM place_words WHERE story = ?").execute(arguments: [story.description])
    }
}

/// Words as a row of their table.
private enum PlaceWordsRow {
    static func words(_ row: Row) -> StoredPlaceWords {
        var words = StoredPlaceWords(
            words: row["words"],
            precision: StoryRow.precision(row["precision"], cell: row["cell"]),
            familySeesExact: row["family_sees_exact"],
            isExtracted: row["extracted"]
        )
        words.state = StoredPlaceWords.State(rawValue: row["state"] as String) ?? .waiting
        words.confidence = row["confidence"]
        words.kind = row["kind"]
        words.place = row["place"]
        return words
    }
}
