import GRDB
import Storage
import Stories
import TestSupport
import Testing

@Suite("Pictures in the store")
struct StoryPictureTests {
    private static let first = StoryPicture(version: 0xFE, width: 400, height: 300)
    private static let second = StoryPicture(version: .max, width: 1, height: 2)

    /// A store with a story that has a picture.
    private static func fixture() async throws -> (store: StoreFixture, story: Story) {
        let fixture = try StoreFixture()
        var story = try makeStory(1)
        story.picture = first
        let stored = story
        try await fixture.store.write { transaction in
            try transaction.insert(stored)
            try transaction.savePicture([1, 2, 3], first, of: stored.id, at: stored.createdAt)
        }
        return (fixture, story)
    }

    @Test(
        "A picture is read back for the story that names it, and goes when another is named",
        arguments: [false, true]
    )
    func named(isReplaced: Bool) async throws {
        let (fixture, story) = try await StoryPictureTests.fixture()
        var changed = story
        changed.picture = isReplaced ? StoryPictureTests.second : nil
        let after = changed
        let found = try await fixture.store.write { transaction in
            let before = try transaction.pictureBytes(of: story)
            try transaction.update(after)
            if let picture = after.picture {
                try transaction.savePicture([4], picture, of: after.id, at: after.updatedAt)
            }
            return (before, try transaction.pictureBytes(of: after), try transaction.story(after.id))
        }
        #expect(found.0 == [1, 2, 3] && found.1 == (isReplaced ? [4] : nil) && found.2 == after)
        let rows = try fixture.store.inspect { try Int.fetchOne($0, sql: "SELECT count(*) FROM story_pictures") }
        #expect(rows == (isReplaced ? 1 : 0))
    }

    @Test("Bytes that the story does not name are not its picture")
    func unnamed() async throws {
        let (fixture, story) = try await StoryPictureTests.fixture()
        var other = story
        other.picture = StoryPictureTests.second
        let wrong = other
        #expect(try await fixture.store.read { try $0.pictureBytes(of: wrong) } == nil)
    }

    @Test("A database from before there were pictures gets the table, and its stories have none")
    func migration() async throws {
        let fixture = try StoreFixture()
        let story = try makeStory(1)
        try await fixture.store.write { try $0.insert(story) }
        try fixture.store.inspect { db in
            try db.execute(
                sql: """
                    \(droppingColumns)
                    DROP TABLE story_pictures; ALTER TABLE stories DROP COLUMN picture_version;
                    ALTER TABLE stories DROP COLUMN picture_width; ALTER TABLE stories DROP COLUMN picture_height;
                    DELETE FROM grdb_migrations WHERE identifier = 'story pictures';
                    """
            )
        }
        try fixture.store.close()
        let again = try StoreFixture.open(fixture.folder, .readWrite)
        var illustrated = story
        illustrated.picture = StoryPictureTests.first
        let changed = illustrated
        #expect(try await again.read { try $0.story(story.id) } == story)
        let read = try await again.write { transaction in
            try transaction.update(changed)
            return try transaction.story(story.id)
        }
        #expect(read == changed)
    }
}
