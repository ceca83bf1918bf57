import Stories
import StoryMap

extension StoryLibrary {
    /// The bytes of a vector tile, none when it is empty.
    func vectorTile(_ tile: MapTile, _ question: MapQuestion) async throws -> [UInt8] {
        let markers = question.snapshot.markers(
            inTile: tile.column,
            row: tile.row,
            zoom: tile.zoom,
            question.query
        )
        let moreExact = markers.compactMap(\.single).filter(\.isMoreExact)
        try await accesses.note(moreExact, for: question.query.viewer)
        return MarkerLayer.bytes(markers, of: tile)
    }
}
