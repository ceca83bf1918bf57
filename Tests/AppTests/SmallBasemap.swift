import Basemap
import Library

/// A basemap of one tile, as `land`.
enum SmallBasemap: Sendable {
    private struct Memory: TileBytes {
        let bytes: [UInt8]
        var count: Int { bytes.count }
        func read(_ range: Range<Int>) -> [UInt8] { Array(bytes[range]) }
    }

    /// Returns the basemap; the tile covers the world, and is empty but for its bytes.
    static func land() throws -> TileSet {
        var builder = TileArchiveBuilder()
        if let tile = TileAddress(zoom: 0, column: 0, row: 0) { try builder.add(tile, bytes: [0x1A, 0]) }
        let bytes = try builder.finish(metadata: Array(#"{"name":"land"}"#.utf8), bounds: [-180, -85, 180, 85])
        let archive = try TileArchive(bytes: Memory(bytes: bytes))
        return TileSet(name: "land", archive: archive, version: "1", attribution: "Nobody")
    }
}
