import GRDB

extension Schema {
    /// Creates the columns and tables that record what changed when, and for whom.
    static func createSync(_ db: Database) throws {
        try db.execute(sql: columns + past + indexes)
    }

    // A story is in `layer` (see ``VisibilityLayer``) since `layer_stamp`. `shown_stamp` marks the last change of the
    // part that its whole audience gets, `trusted_stamp` of the part that trusted family also gets, and `touched_stamp`
    // of anything at all. `client_digest` is the digest of the client's request when it created the story under its own
    // id. `client_key` is a keyed digest of that id, the only part kept when the story is deleted. The `stamp` of a
    // hide is when it last began or ended.
    private static let columns = """
        ALTER TABLE stories ADD COLUMN media_checksum TEXT;
        ALTER TABLE stories ADD COLUMN client_digest BLOB;
        ALTER TABLE stories ADD COLUMN client_key TEXT;
        ALTER TABLE stories ADD COLUMN layer TEXT NOT NULL DEFAULT '';
        ALTER TABLE stories ADD COLUMN layer_stamp INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE stories ADD COLUMN shown_stamp INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE stories ADD COLUMN trusted_stamp INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE stories ADD COLUMN touched_stamp INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE memberships ADD COLUMN since_stamp INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE hides ADD COLUMN stamp INTEGER NOT NULL DEFAULT 0;
        UPDATE stories SET layer = CASE
            WHEN auto_private OR withheld OR privacy = 'private' THEN 'own:' || owner
            WHEN privacy = 'public' THEN 'public'
            WHEN family IS NOT NULL THEN 'group:' || family
            ELSE 'kin:' || owner END;

        """

    // Past audiences are stored by name, without foreign keys: a pseudonym replaces the name of an erased user.
    private static let past = """
        CREATE TABLE past_audiences (
            layer TEXT NOT NULL, until_stamp INTEGER NOT NULL, story TEXT NOT NULL, owner TEXT NOT NULL,
            from_stamp INTEGER NOT NULL,
            PRIMARY KEY (layer, until_stamp, story)) WITHOUT ROWID;
        CREATE INDEX past_audiences_owner ON past_audiences (owner, until_stamp);
        CREATE INDEX past_audiences_age ON past_audiences (until_stamp);
        CREATE TABLE past_memberships (
            family TEXT NOT NULL, user TEXT NOT NULL, until_stamp INTEGER NOT NULL, from_stamp INTEGER NOT NULL,
            PRIMARY KEY (family, user, until_stamp)) WITHOUT ROWID;
        CREATE INDEX past_memberships_user ON past_memberships (user, until_stamp);
        CREATE INDEX past_memberships_age ON past_memberships (until_stamp);
        CREATE TABLE deleted_stories (
            story TEXT PRIMARY KEY NOT NULL, owner TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
            client_key TEXT) WITHOUT ROWID;
        CREATE INDEX deleted_stories_client ON deleted_stories (owner, client_key);
        CREATE TABLE batch_answers (
            user TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE, key TEXT NOT NULL, digest BLOB NOT NULL,
            answer BLOB NOT NULL, created_ms INTEGER NOT NULL,
            PRIMARY KEY (user, key)) WITHOUT ROWID;
        CREATE INDEX batch_answers_age ON batch_answers (created_ms);

        """

    private static let indexes = """
        CREATE INDEX stories_layer ON stories (layer, id);
        CREATE INDEX stories_touched ON stories (layer, touched_stamp);
        CREATE INDEX stories_owner_touched ON stories (owner, touched_stamp);
        CREATE INDEX stories_checksum ON stories (owner, media_checksum) WHERE media_checksum IS NOT NULL;

        """
}
