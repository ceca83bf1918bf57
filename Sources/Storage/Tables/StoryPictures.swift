import Foundation
import GRDB
public import Stories

extension StoreReader {
    /// Returns the bytes of a story's picture; `nil` if it has none, or only bytes that are not the story's own.
    public func pictureBytes(of story: Story) throws -> [UInt8]? {
        guard let picture = story.picture else { return nil }
        let statement = try db.cachedStatement(sql: "SELECT bytes FROM story_pictures WHERE story = ? AND version = ?")
        return try Data.fetchOne(statement, arguments: [story.id.description, picture.name]).map { [UInt8]($0) }
    }
}

extension StoreTransaction {
    /// Stores the bytes of a picture, in place of any others of the story.
    ///
    /// They are shown once the story itself names them with ``Story/picture``.
    public func savePicture(_ bytes: [UInt8], _ picture: StoryPicture, of id: StoryID, at time: Timestamp) throws {
        try removePictures(of: id, except: picture)
        let statement = try db.cachedStatement(
            sql: """
                INSERT INTO story_pictures (story, version, media_type, width, height, updated_ms, bytes)
                VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (story) DO NOTHING
                """
        )
        try statement.execute(
            arguments: [
                id.description, picture.name, StoryPicture.mediaType, picture.width, picture.height,
                time.milliseconds, Data(bytes),
            ]
        )
    }

    /// Removes the bytes of a story's pictures other than `picture`.
    func removePictures(of id: StoryID, except picture: StoryPicture?) throws {
        let statement = try db.cachedStatement(sql: "DELETE FROM story_pictures WHERE story = ? AND version IS NOT ?")
        try statement.execute(arguments: [id.description, picture?.name])
        // Their bytes are still in the log.
        if db.changesCount > 0 { noteRemoval() }
    }
}
