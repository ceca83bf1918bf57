import Foundation
import GRDB
import Geometry
public import Stories

extension StoreReader {
    /// The result of an earlier import of a source's row.
    public struct ImportedRow: Sendable {
        /// The story.
        public let id: StoryID
        /// The digest of the row.
        public let digest: [UInt8]
        /// The point it gave, as recorded by ``StoreTransaction/stampImport(of:digest:location:)``.
        let place: String?
    }

    /// Returns whether the database contains a story of a source, of anyone's if no owner is given.
    public func hasStories(of owner: UserID?, source: String) throws -> Bool {
        let owners = try owner.map { [$0.rawValue] } ?? String.fetchAll(db, sql: "SELECT id FROM users")
        let statement = try db.cachedStatement(
            sql: "SELECT 1 FROM stories WHERE owner = ? AND source = ? LIMIT 1"
        )
        return try owners.contains { try Int.fetchOne(statement, arguments: [$0, source]) != nil }
    }

    /// Returns whether the imported story with this id was deleted by its owner; another import must not restore it.
    public func isDeletedImport(_ id: StoryID) throws -> Bool {
        let statement = try db.cachedStatement(sql: "SELECT 1 FROM deleted_imports WHERE story = ?")
        return try Int.fetchOne(statement, arguments: [id.description]) != nil
    }

    /// Returns whether the story still has the location of its last import, rather than one its owner has chosen since.
    public func hasImportedLocation(_ story: Story, _ row: ImportedRow) -> Bool {
        StoreReader.placeText(story.location) == row.place
    }

    /// Returns the point of a location as text; `none` without one.
    static func placeText(_ location: StoryLocation?) -> String {
        location.map { "\($0.coordinate.latitude) \($0.coordinate.longitude) \($0.source.rawValue)" } ?? "none"
    }

    /// Returns the story an earlier import created from a source's row, or `nil`.
    public func imported(owner: UserID, source: String, sourceID: String) throws -> ImportedRow? {
        let statement = try db.cachedStatement(
            sql: "SELECT id, import_digest, import_place FROM stories WHERE owner = ? AND source = ? AND source_id = ?"
        )
        guard let row = try Row.fetchOne(statement, arguments: [owner.rawValue, source, sourceID]),
            let id = StoryID(row["id"] as String)
        else { return nil }
        return ImportedRow(id: id, digest: [UInt8](row["import_digest"] ?? Data()), place: row["import_place"])
    }
}

extension StoreTransaction {
    /// Records the import data of a story: the digest of the row and its location.
    public func stampImport(of id: StoryID, digest: [UInt8], location: StoryLocation?) throws {
        let statement = try db.cachedStatement(
            sql: "UPDATE stories SET import_digest = ?, import_place = ? WHERE id = ?"
        )
        try statement.execute(arguments: [Data(digest), StoreTransaction.placeText(location), id.description])
    }
}
