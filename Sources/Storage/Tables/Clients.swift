import Foundation
import GRDB
public import Stories

/// Recognizes repeated requests by the ids and keys that clients gave them.
extension StoreReader {
    /// Returns the id of the owner's deleted story whose client-given id has this keyed digest, or `nil`.
    public func deletedStory(owner: UserID, clientKey: String) throws -> StoryID? {
        try String.fetchOne(
            db,
            sql: "SELECT story FROM deleted_stories WHERE owner = ? AND client_key = ? ORDER BY story",
            arguments: [owner.rawValue, clientKey]
        )
        .flatMap { StoryID($0) }
    }

    /// Returns the keyed digest of the client's request that created a deleted story, or `nil` if not recorded.
    public func deletedCreation(of id: StoryID) throws -> String? {
        try String.fetchOne(
            db,
            sql: "SELECT client_digest FROM deleted_stories WHERE story = ?",
            arguments: [id.description]
        )
    }

    /// Returns whether a story of the owner was deleted.
    public func isDeleted(_ id: StoryID, owner: UserID) throws -> Bool {
        try Int.fetchOne(
            db,
            sql: "SELECT 1 FROM deleted_stories WHERE story = ? AND owner = ?",
            arguments: [id.description, owner.rawValue]
        ) != nil
    }

    /// Returns the digest of the client's request that created a story, or `nil` if not recorded.
    public func clientDigest(of id: StoryID) throws -> [UInt8]? {
        try Data.fetchOne(db, sql: "SELECT client_digest FROM stories WHERE id = ?", arguments: [id.description])
            .map { [UInt8]($0) }
    }

    /// Returns at most `limit` other stories of the same owner with the same media checksum, sorted by id.
    public func duplicates(of story: Story, limit: Int) throws -> [StoryID] {
        guard let checksum = story.mediaChecksum else { return [] }
        return
            try String.fetchAll(
                db,
                sql: "SELECT id FROM stories WHERE owner = ? AND media_checksum = ? AND id <> ? ORDER BY id LIMIT ?",
                arguments: [story.owner.rawValue, checksum, story.id.description, limit]
            )
            .compactMap { StoryID($0) }
    }

    /// Returns the digest and answer of the batch a user sent with a key; `nil` for a new key.
    public func batchAnswer(_ key: String, of user: UserID) throws -> (digest: [UInt8], answer: [UInt8])? {
        try Row.fetchOne(
            db,
            sql: "SELECT digest, answer FROM batch_answers WHERE user = ? AND key = ?",
            arguments: [user.rawValue, key]
        )
        .map { ([UInt8]($0["digest"] as Data), [UInt8]($0["answer"] as Data)) }
    }
}

extension StoreTransaction {
    /// Runs `body`; if it throws, its changes are undone and earlier ones stay.
    public func attempt<Value>(_ body: () throws -> Value) throws -> Value {
        let (count, lines) = (afterCommit.actions.count, afterCommit.lines.count)
        // Other recorded changes may stay although they were undone, but a story that was not stored must not be shown.
        let stories = afterCommit.changes.stories.count
        var value: Value?
        do {
            try db.inSavepoint {
                value = try body()
                return .commit
            }
        } catch {
            afterCommit.actions.removeSubrange(count...)
            afterCommit.lines.removeSubrange(lines...)
            afterCommit.changes.stories.removeSubrange(stories...)
            throw error
        }
        guard let value else { throw StoreError(.failed, "The database rolled back a change without giving a reason.") }
        return value
    }

    /// Records the keyed digest of the client's request that created a story, now that the story is deleted.
    public func noteDeletedCreation(_ digest: String, of id: StoryID) throws {
        try db.cachedStatement(sql: "UPDATE deleted_stories SET client_digest = ? WHERE story = ?")
            .execute(arguments: [digest, id.description])
    }

    /// Records a digest of the client's request that created a story, and a keyed digest of the client's own id for it.
    public func saveClientDigest(_ digest: [UInt8], clientKey: String, of id: StoryID) throws {
        try db.cachedStatement(sql: "UPDATE stories SET client_digest = ?, client_key = ? WHERE id = ?")
            .execute(arguments: [Data(digest), clientKey, id.description])
    }

    /// Records the answer to a batch with this key, replacing any earlier one.
    public func saveBatchAnswer(
        _ answer: [UInt8],
        key: String,
        of user: UserID,
        digest: [UInt8],
        at now: Timestamp
    ) throws {
        try db.execute(
            sql: """
                INSERT INTO batch_answers (user, key, digest, answer, created_ms) VALUES (?, ?, ?, ?, ?)
                ON CONFLICT (user, key) DO UPDATE SET answer = excluded.answer
                """,
            arguments: [user.rawValue, key, Data(digest), Data(answer), now.milliseconds]
        )
    }

    /// Removes the batch answers of a user, or of all users if `nil`, from before `limit`.
    public func dropBatchAnswers(of user: UserID?, before limit: Timestamp) throws {
        try db.execute(
            sql: "DELETE FROM batch_answers WHERE created_ms < ?1 AND (user = ?2 OR ?2 IS NULL)",
            arguments: [limit.milliseconds, user?.rawValue]
        )
    }
}
