import Foundation
import GRDB
public import Stories

/// What clients sent under ids and keys of their own, so that a repetition is known as one.
extension StoreReader {
    /// Returns the id of the deleted story that a client of the owner had made under an id with this keyed digest, or `nil`.
    public func deletedStory(owner: UserID, clientKey: String) throws -> StoryID? {
        try String.fetchOne(
            db,
            sql: "SELECT story FROM deleted_stories WHERE owner = ? AND client_key = ? ORDER BY story",
            arguments: [owner.rawValue, clientKey]
        )
        .flatMap { StoryID($0) }
    }

    /// Returns the keyed digest of what the client sent when it made a story that is deleted, or `nil` when that was not
    /// noted.
    public func deletedCreation(of id: StoryID) throws -> String? {
        try String.fetchOne(
            db,
            sql: "SELECT client_digest FROM deleted_stories WHERE story = ?",
            arguments: [id.description]
        )
    }

    /// Whether a story of the owner was deleted.
    public func isDeleted(_ id: StoryID, owner: UserID) throws -> Bool {
        try Int.fetchOne(
            db,
            sql: "SELECT 1 FROM deleted_stories WHERE story = ? AND owner = ?",
            arguments: [id.description, owner.rawValue]
        ) != nil
    }

    /// Returns the digest of what the client sent when it made a story, or `nil` when that was not noted.
    public func clientDigest(of id: StoryID) throws -> [UInt8]? {
        try Data.fetchOne(db, sql: "SELECT client_digest FROM stories WHERE id = ?", arguments: [id.description])
            .map { [UInt8]($0) }
    }

    /// Returns the other stories of the same owner with the same media checksum, the first of them by id.
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

    /// Returns the digest of the batch a user sent with a key, and what was answered; `nil` for a new key.
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
    /// Runs `body`; when it throws, what it did is undone and what came before stays.
    public func attempt<Value>(_ body: () throws -> Value) throws -> Value {
        let (count, lines) = (afterCommit.actions.count, afterCommit.lines.count)
        // Of the rest more may be noted than changed; a story that was not stored must not be shown.
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
        guard let value else { throw StoreError(.failed, "The database undid a change without saying why.") }
        return value
    }

    /// Remembers, of a story that was deleted, a keyed digest of what the client sent when it made it.
    public func noteDeletedCreation(_ digest: String, of id: StoryID) throws {
        try db.cachedStatement(sql: "UPDATE deleted_stories SET client_digest = ? WHERE story = ?")
            .execute(arguments: [digest, id.description])
    }

    /// Remembers a digest of what the client sent when it made a story, and the keyed digest of its own id of it.
    public func saveClientDigest(_ digest: [UInt8], clientKey: String, of id: StoryID) throws {
        try db.cachedStatement(sql: "UPDATE stories SET client_digest = ?, client_key = ? WHERE id = ?")
            .execute(arguments: [Data(digest), clientKey, id.description])
    }

    /// Remembers what was answered to a batch with this key, in place of what was remembered before.
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

    /// Forgets the answers to batches of a user, or with `nil` of everybody, from before `limit`.
    public func dropBatchAnswers(of user: UserID?, before limit: Timestamp) throws {
        try db.execute(
            sql: "DELETE FROM batch_answers WHERE created_ms < ?1 AND (user = ?2 OR ?2 IS NULL)",
            arguments: [limit.milliseconds, user?.rawValue]
        )
    }
}
