import Geometry
import Notifications
import Stories

/// Remembers places that programs extracted as keyed digests, which reveal no place.
struct ExtractedPlaces: Sendable {
    /// The key of the digests.
    let secret: [UInt8]

    /// How many cells a degree has: about 110 m of latitude each, as the same words are placed slightly otherwise by
    /// another geocoder or another version of one.
    private static let cells = 1_000.0

    /// The id of the proposal of a location for a story: the same point gives the same.
    func proposalID(of coordinate: Coordinate, for story: StoryID) -> StoryID {
        make("proposal|\(story)|\(coordinate.latitude.bitPattern)|\(coordinate.longitude.bitPattern)")
    }

    /// The digest of the cell that a place lies in, for one story.
    func digest(of coordinate: Coordinate, for story: StoryID) -> String {
        let cell = cell(of: coordinate)
        return digest(row: cell.row, column: cell.column, for: story)
    }

    /// The digests of that cell and of those around it: a place just beyond an edge is the same one.
    func digests(around coordinate: Coordinate, for story: StoryID) -> Set<String> {
        let cell = cell(of: coordinate)
        var digests: Set<String> = []
        for row in -1...1 {
            for column in -1...1 {
                digests.insert(digest(row: cell.row + row, column: cell.column + column, for: story))
            }
        }
        return digests
    }

    private func cell(of coordinate: Coordinate) -> (row: Int, column: Int) {
        (
            Int((coordinate.latitude * ExtractedPlaces.cells).rounded(.down)),
            Int((coordinate.longitude * ExtractedPlaces.cells).rounded(.down))
        )
    }

    private func digest(row: Int, column: Int, for story: StoryID) -> String {
        // The map has no edge at the antimeridian.
        let width = Int(360 * ExtractedPlaces.cells)
        return make("rejected|\(story)|\(row)|\((column % width + width) % width)").description
    }

    private func make(_ message: String) -> StoryID { KeyedID.make(secret: secret, message: Array(message.utf8)) }
}
