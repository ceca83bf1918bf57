import GRDB

extension Schema {
    /// Creates the table of what the rows of archives say in words about the places of stories.
    ///
    /// `words` is JSON. `precision`, `cell`, `family_sees_exact` and `extracted` are how the row wants a place shown and
    /// whether a program extracted its words, for a story that has no location to keep them in. `state` is `waiting`,
    /// `located` by a program, `chosen` by a person or `none`; `confidence`, `kind` and `place` are of the place found.
    static func createPlaceWords(_ db: Database) throws {
        try db.execute(
            sql: """
                CREATE TABLE place_words (
                    story TEXT PRIMARY KEY NOT NULL REFERENCES stories (id) ON DELETE CASCADE,
                    words TEXT NOT NULL, precision TEXT NOT NULL, cell REAL, family_sees_exact INTEGER NOT NULL,
                    extracted INTEGER NOT NULL, state TEXT NOT NULL, confidence REAL, kind TEXT, place TEXT,
                    updated_ms BIGINT NOT NULL) WITHOUT ROWID;
                """
        )
    }
}
