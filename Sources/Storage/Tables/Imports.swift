import Foundation
import GRDB
import Geometry
public import Stories

extension StoreReader {
    /// What an earlier import made of a source's row.
    public struct ImportedRow: Sendable {
        /// The story.
        public let id: StoryID
        /// The digest of the row.
        public let digest: [UInt8]
        /// The point it gave, as ``StoreTransaction/stampImport(of:digest:location:)`` noted it.
        let place: String?
    }

    /// Whether the owner deleted the story that an import once made under this id: it is not to come back by itself.
    public func isDeletedImport(_ id: StoryID) throws -> Bool {
        let statement = try db.cachedStatement(sql: "SELECT 1 FROM deleted_imports WHERE story = ?")
        return try Int.fetchOne(statement, arguments: [id.description]) != nil
    }

    /// Whether the story's location is the one its last import gave, and not another that its owner chose since.
    public func hasImportedLocation(_ story: Story, _ row: ImportedRow) -> Bool {
        StoreReader.placeText(story.location) == row.place
    }

    /// The point of a location as text; `none` without one.
    fileprivate static func placeText(_ location: StoryLocation?) -> String {
        location.map { "\($0.coordinate.latitude) \($0.coordinate.longitude) \($0.source.rawValue)" } ?? "none"
    }

    /// Returns the story that an earlier import made of a source's row, or `nil`.
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
    /// Notes what an import gave a story: the digest of the row and the location it said.
    public func stampImport(of id: StoryID, digest: [UInt8], location: StoryLocation?) throws {
        let statement = try db.cachedStatement(
            sql: "UPDATE stories SET import_digest = ?, import_place = ? WHERE id = ?"
        )
        try statement.execute(arguments: [Data(digest), StoreTransaction.placeText(location), id.description])
    }
}
