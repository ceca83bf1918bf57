import Foundation
import GRDB
import Geometry
public import Stories

/// A new story of an import as the values of its row, made ready apart from the database.
///
/// To turn a story into these values takes as long as it takes SQLite to store them, so another thread does it.
public struct PreparedStory: Sendable {
    /// The story.
    public let story: Story
    /// The digest of the row that it comes from.
    let digest: [UInt8]
    /// The location that the row gave it.
    let place: StoryLocation?
    /// The values of ``columns``, followed by longitude and latitude.
    let values: [DatabaseValue]

    /// Prepares a story; `digest` and `place` are recorded like by ``StoreTransaction/stampImport(of:digest:location:)``.
    public init(_ story: Story, digest: [UInt8], place: StoryLocation?) {
        self.story = story
        self.digest = digest
        self.place = place
        let (anchor, point) = (story.publishedPoint, story.location?.coordinate)
        let end: [(any DatabaseValueConvertible)?] = [
            anchor?.latitude, anchor?.longitude, story.layer.text, Data(digest), StoreReader.placeText(place),
            point?.longitude, point?.latitude,
        ]
        values = (StoryRow.arguments(story) + end).map { $0?.databaseValue ?? .null }
    }

    /// The columns of the row, without the stamps and the geometry.
    static let columns = StoryRow.columns + ["anchor_lat", "anchor_lon", "layer", "import_digest", "import_place"]

    /// Inserts ``values``, followed by the stamp of the transaction and the number of the import.
    static var insertion: String {
        let count = columns.count
        let marks = (1...count).map { "?\($0)" }.joined(separator: ", ")
        let (longitude, latitude, stamp, number) = (count + 1, count + 2, count + 3, count + 4)
        return """
            INSERT INTO stories (\(columns.joined(separator: ", ")), layer_stamp, shown_stamp, trusted_stamp, touched_stamp,
            import_id, geom) VALUES (\(marks), ?\(stamp), ?\(stamp), ?\(stamp), ?\(stamp), ?\(number),
            CASE WHEN ?\(longitude) IS NULL THEN NULL ELSE MakePoint(?\(longitude), ?\(latitude), 4326) END)
            """
    }
}
