import Foundation
import GRDB
public import Stories

extension StoreReader {
    /// Returns the story created by a request with this key of a user, and the request's digest; `nil` for a new key.
    public func requestKey(_ key: String, of user: UserID) throws -> (story: StoryID, digest: [UInt8])? {
        guard
            let row = try Row.fetchOne(
                db,
                sql: "SELECT story, digest FROM request_keys WHERE user = ? AND key = ?",
                arguments: [user.rawValue, key]
            ),
            let story = StoryID(row["story"] as String)
        else { return nil }
        return (story, [UInt8](row["digest"] as Data))
    }
}

extension StoreTransaction {
    /// Records the result of a request with a new key.
    public func saveRequestKey(
        _ key: String,
        of user: UserID,
        digest: [UInt8],
        story: StoryID,
        at now: Timestamp
    ) throws {
        try db.execute(
            sql: "INSERT INTO request_keys (user, key, digest, story, created_ms) VALUES (?, ?, ?, ?, ?)",
            arguments: [user.rawValue, key, Data(digest), story.description, now.milliseconds]
        )
    }

    /// Removes the keys of a user, or of all users if `nil`, that were used before `limit`.
    ///
    /// A request only removes keys of its own user: the contents of an export must not depend on what others did.
    public func dropRequestKeys(of user: UserID?, usedBefore limit: Timestamp) throws {
        try db.execute(
            sql: "DELETE FROM request_keys WHERE created_ms < ?1 AND (user = ?2 OR ?2 IS NULL)",
            arguments: [limit.milliseconds, user?.rawValue]
        )
    }
}
