import Foundation
import GRDB
public import Stories

extension StoreReader {
    /// Returns the request with this key that was carried out since an instant in milliseconds, and its sealed answer if
    /// that was kept; `nil` for a new key.
    public func requestAnswer(
        _ key: [UInt8],
        of owner: String,
        since limit: Int64
    ) throws -> (digest: [UInt8], answer: [UInt8]?)? {
        try Row.fetchOne(
            db,
            sql: "SELECT digest, answer FROM request_answers WHERE owner = ? AND key = ? AND created_ms >= ?",
            arguments: [owner, Data(key), limit]
        )
        .map { ([UInt8]($0["digest"] as Data), ($0["answer"] as Data?).map { [UInt8]($0) }) }
    }
}

extension StoreTransaction {
    /// Records that a request is carried out in this transaction.
    public func record(_ mark: RequestMark) throws {
        try db.execute(
            sql: """
                INSERT INTO request_answers (owner, key, user, digest, created_ms) VALUES (?, ?, ?, ?, ?)
                ON CONFLICT (owner, key) DO UPDATE SET digest = excluded.digest, answer = NULL,
                    created_ms = excluded.created_ms
                WHERE created_ms <> excluded.created_ms
                """,
            arguments: [
                mark.owner, Data(mark.key), mark.user?.rawValue, Data(mark.digest), mark.at.milliseconds,
            ]
        )
        afterCommit.actions.append { mark.noteCommit() }
    }

    /// Stores the sealed answer of a request that was carried out.
    public func saveAnswer(_ sealed: [UInt8], of mark: RequestMark) throws {
        try record(mark)
        try db.execute(
            sql: "UPDATE request_answers SET answer = ? WHERE owner = ? AND key = ?",
            arguments: [Data(sealed), mark.owner, Data(mark.key)]
        )
    }

    /// Removes the record of a request that failed, so that it can be tried again.
    public func dropAnswer(of mark: RequestMark) throws {
        try db.execute(
            sql: "DELETE FROM request_answers WHERE owner = ? AND key = ?",
            arguments: [mark.owner, Data(mark.key)]
        )
    }

    /// Removes the records of an owner, or of all owners if `nil`, from before `limit`.
    public func dropRequestAnswers(of owner: String?, before limit: Timestamp) throws {
        try db.execute(
            sql: "DELETE FROM request_answers WHERE created_ms < ?1 AND (owner = ?2 OR ?2 IS NULL)",
            arguments: [limit.milliseconds, owner]
        )
    }
}
