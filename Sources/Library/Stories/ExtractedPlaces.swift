import Geometry
import Notifications
import Stories

/// Identifies places extracted by programs by keyed digests, which reveal no place.
struct ExtractedPlaces: Sendable {
    /// The key of the digests.
    let secret: [UInt8]

    /// The number of cells per degree.
    ///
    /// A cell spans about 110 m of latitude, because another geocoder, or another version of the same one, may place
    /// the same text at a slightly different point.
    private static let cells = 1_000.0

    /// Returns the id of the proposal of a location for a story; equal for equal points.
    func proposalID(of coordinate: Coordinate, for story: StoryID) -> StoryID {
        make("proposal|\(story)|\(coordinate.latitude.bitPattern)|\(coordinate.longitude.bitPattern)")
    }

    /// Returns the id of a further place extracted from a story; equal for equal points and roles.
    func placeID(of coordinate: Coordinate, _ role: PlaceRole, for story: StoryID) -> StoryID {
        make("further|\(story)|\(role)|\(coordinate.latitude.bitPattern)|\(coordinate.longitude.bitPattern)")
    }

    /// Returns the digest of the cell that contains a place, for one story.
    func digest(of coordinate: Coordinate, for story: StoryID) -> String {
        let cell = cell(of: coordinate)
        return digest(row: cell.row, column: cell.column, for: story)
    }

    /// Returns the digests of the place's cell and its neighbours: a place just beyond an edge counts as equal.
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
        // Columns wrap around at the antimeridian.
        let width = Int(360 * ExtractedPlaces.cells)
        return make("rejected|\(story)|\(row)|\((column % width + width) % width)").description
    }

    func make(_ message: String) -> StoryID { KeyedID.make(secret: secret, message: Array(message.utf8)) }
}
