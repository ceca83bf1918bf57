import GRDB

extension Schema {
    /// Creates the tables of reports, hides and sealed stories.
    static func createModeration(_ db: Database) throws {
        try db.execute(sql: moderation)
    }

    // `until_ms` is when the user unhid the story; the row stays for clients that ask for changes. A report holds only
    // the story's id, so it outlives the story; `notice_stories` finds the notifications about a story.
    private static let moderation = """
        ALTER TABLE stories ADD COLUMN withheld INTEGER NOT NULL DEFAULT 0;
        CREATE INDEX stories_by_owner ON stories (owner, id);
        CREATE TABLE hides (
            user TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE, story TEXT NOT NULL,
            at_ms INTEGER NOT NULL, until_ms INTEGER,
            PRIMARY KEY (user, story)) WITHOUT ROWID;
        CREATE INDEX hides_story ON hides (story);
        CREATE TABLE reports (
            id TEXT PRIMARY KEY NOT NULL, story TEXT NOT NULL,
            reporter TEXT REFERENCES users (id) ON DELETE SET NULL,
            reason TEXT NOT NULL, text TEXT, status TEXT NOT NULL, note TEXT,
            created_ms INTEGER NOT NULL, updated_ms INTEGER NOT NULL) WITHOUT ROWID;
        CREATE INDEX reports_story ON reports (story);
        CREATE INDEX reports_reporter ON reports (reporter) WHERE reporter IS NOT NULL;
        CREATE INDEX reports_age ON reports (created_ms, id);
        CREATE TABLE sealed_stories (
            story TEXT PRIMARY KEY NOT NULL,
            owner TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
            deleted_ms INTEGER NOT NULL, blob BLOB NOT NULL);
        CREATE INDEX sealed_owner ON sealed_stories (owner);
        CREATE INDEX sealed_age ON sealed_stories (deleted_ms, story);
        CREATE TABLE notice_stories (
            story TEXT NOT NULL, user TEXT NOT NULL, notice TEXT NOT NULL,
            PRIMARY KEY (story, user, notice),
            FOREIGN KEY (user, notice) REFERENCES notices (user, id) ON DELETE CASCADE) WITHOUT ROWID;
        CREATE INDEX notice_stories_notice ON notice_stories (user, notice);
        INSERT OR IGNORE INTO notice_stories (story, user, notice)
            SELECT entry.value, notices.user, notices.id FROM notices, json_each(notices.content) AS entry;

        """
}
