import Formats
import Foundation
import GRDB
public import Stories

/// All data the store holds about a story, extracted from the database: the story itself and the store's own columns.
public struct FrozenStory: Sendable {
    /// The story as it was.
    public var story: Story
    /// The columns not in ``Story``, in order: where it was last announced, and its import data.
    let details: [(column: String, value: DatabaseValue)]
    /// The bytes of its picture.
    let picture: Data?

    /// The name of ``picture`` among the columns.
    static let pictureColumn = "picture_bytes"

    /// Columns that are computed again when the story is stored again.
    private static let derived: Set<String> = [
        "fid", "geom", "search_text", "place_text", "layer", "layer_stamp", "shown_stamp", "trusted_stamp",
        "touched_stamp", "further_places",
    ]

    /// Returns the bytes of a row: a JSON object with a member for each column.
    static func bytes(of row: Row) -> [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        for (column, value) in row where !derived.contains(column) {
            json.key(column)
            switch value.storage {
            case .null: json.null()
            case .int64(let number): json.value(Int(number))
            case .double(let number): json.value(number)
            case .string(let text): json.value(text)
            case .blob(let data): json.value([data.base64EncodedString()])
            }
        }
        json.endObject()
        return json.bytes
    }

    /// Decodes the bytes returned by ``StoreReader/frozenStory(_:)``.
    ///
    /// - Throws: ``StoreError`` if the bytes are not a story.
    public init(bytes: [UInt8]) throws {
        guard let members = try? JSONValue(parsing: bytes, limits: .init(bytes: .max)).object else {
            throw StoreError(.failed, "A retained story cannot be read.")
        }
        let values = members.mapValues(FrozenStory.value)
        // A story sealed by an older version lacks the columns that came later.
        var whole = values
        for column in StoryRow.columns where !StoryColumns.optional.contains(column) && whole[column] == nil {
            whole[column] = .null
        }
        let row = Row(whole.mapValues { $0 as (any DatabaseValueConvertible)? })
        story = try StoryRow.story(row, StoryColumns(names: row.columnNames))
        picture = values[FrozenStory.pictureColumn].flatMap { Data.fromDatabaseValue($0) }
        if picture == nil { story.picture = nil }
        let known = Set(StoryRow.columns + ["lat", "lon", "places", FrozenStory.pictureColumn])
        details = values.filter { !known.contains($0.key) }.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    private static func value(_ json: JSONValue) -> DatabaseValue {
        switch json {
        case .number(let number): Int64(exactly: number)?.databaseValue ?? number.databaseValue
        case .digits(let digits): Int64(digits)?.databaseValue ?? json.number?.databaseValue ?? .null
        case .string(let text): text.databaseValue
        case .array(let texts):
            texts.first?.string.flatMap { Data(base64Encoded: $0) }?.databaseValue ?? .null
        case .bool, .null, .object: .null
        }
    }
}

extension StoreReader {
    /// Returns everything the store holds about a story as bytes for ``FrozenStory``, or `nil` if it does not exist.
    public func frozenStory(_ id: StoryID) throws -> [UInt8]? {
        let picture = "SELECT bytes FROM story_pictures WHERE story = stories.id AND version = picture_version"
        return
            try Row.fetchOne(
                db,
                sql: """
                    SELECT *, ST_X(geom) AS lon, ST_Y(geom) AS lat, \(PlaceRow.selection) AS places,
                    (\(picture)) AS \(FrozenStory.pictureColumn)
                    FROM stories WHERE id = ?
                    """,
                arguments: [id.description]
            )
            .map(FrozenStory.bytes)
    }
}

extension StoreTransaction {
    /// Restores the store's own columns of a story that was stored again, and its picture.
    ///
    /// Its import and its client then recognize it again.
    public func restoreDetails(of frozen: FrozenStory) throws {
        let columns = Set(try db.columns(in: "stories").map(\.name))
        for (column, value) in frozen.details where columns.contains(column) {
            try db.execute(
                sql: "UPDATE stories SET \(column.quotedDatabaseIdentifier) = ? WHERE id = ?",
                arguments: [value, frozen.story.id.description]
            )
        }
        if let picture = frozen.picture, let description = frozen.story.picture {
            try savePicture([UInt8](picture), description, of: frozen.story.id, at: frozen.story.updatedAt)
        }
        try dropRemovals(of: frozen.story.id)
        for table in ["deleted_imports", "deleted_stories"] {
            try db.execute(
                sql: "DELETE FROM \(table) WHERE story = ?",
                arguments: [frozen.story.id.description]
            )
        }
    }
}
