import GRDB

extension Schema {
    /// Creates the table of the stories' pictures, with their descriptions in `stories`.
    ///
    /// `picture_version` names the bytes that belong to the story: other bytes are never shown. The columns are not
    /// watched for changes by other programs, because without the bytes they show nothing.
    static func createStoryPictures(_ db: Database) throws {
        try db.execute(
            sql: """
                ALTER TABLE stories ADD COLUMN picture_version TEXT;
                ALTER TABLE stories ADD COLUMN picture_width INTEGER;
                ALTER TABLE stories ADD COLUMN picture_height INTEGER;
                CREATE TABLE story_pictures (
                    story TEXT PRIMARY KEY NOT NULL REFERENCES stories (id) ON DELETE CASCADE,
                    version TEXT NOT NULL, media_type TEXT NOT NULL, width INTEGER NOT NULL, height INTEGER NOT NULL,
                    updated_ms BIGINT NOT NULL, bytes BLOB NOT NULL);
                """
        )
    }
}
