import GRDB
import Geometry
import Notifications
import Storage
import Stories
import TestSupport
import Testing

@Suite("Recreating the feed table")
struct FamilySchemaTests {
    @Test("DLV-01 Notifications from before families existed are kept unchanged")
    func oldNotices() async throws {
        let fixture = try StoreFixture()
        try fixture.store.close()
        let user = try #require(UserID("archive"))
        let story = StoryID(high: 1, low: 2)
        try await DatabaseQueue(path: fixture.folder.path("waymark.db"))
            .write { db in
                try db.execute(
                    sql: """
                        DROP TABLE invitation_tokens; DROP TABLE invitations; DROP TABLE notices;
                        DROP TABLE feed_log; DROP TABLE feed_positions;
                        CREATE TABLE notices (
                            id TEXT NOT NULL, user TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
                            at_ms INTEGER NOT NULL, created_ms INTEGER NOT NULL, type TEXT NOT NULL,
                            kind TEXT NOT NULL, place_name TEXT NOT NULL, place_lat REAL NOT NULL,
                            place_lon REAL NOT NULL, count INTEGER NOT NULL, title TEXT NOT NULL, body TEXT NOT NULL,
                            confidence REAL NOT NULL, content TEXT NOT NULL, simulated INTEGER NOT NULL,
                            read_ms INTEGER, opened_ms INTEGER, PRIMARY KEY (user, id)) WITHOUT ROWID;
                        CREATE INDEX notices_feed ON notices (user, created_ms DESC, id);
                        DELETE FROM grdb_migrations WHERE identifier IN ('3 families', '12 feed');
                        """
                )
                try db.execute(
                    sql: """
                        INSERT INTO notices VALUES ('n', 'archive', 5, 6, 'story.nearby', 'passed', 'Here', 1.5, 2.5, 1,
                        't', 'b', 0.5, '["\(story)"]', 1, 7, NULL)
                        """
                )
            }
        let store = try StoreFixture.open(fixture.folder, .readWrite)
        let feed = try await store.read { try $0.notices(of: user, unreadOnly: false, after: nil, limit: 10) }
        let item = try #require(feed.first)
        #expect(feed.count == 1 && item.id == "n" && item.readAt == Timestamp(milliseconds: 7) && item.isSimulated)
        #expect(item.visit?.kind == .passed && item.visit?.placeName == "Here" && item.visit?.confidence == 0.5)
        #expect(item.visit?.place.latitude == 1.5 && item.visit?.place.longitude == 2.5)
        #expect(item.content == [.init(id: story, sourceID: nil)] && item.title == "t" && item.body == "b")
        try store.close()
    }
}
