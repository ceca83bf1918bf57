import Basemap
import Formats
import Geometry
import Testing

/// An archive in memory.
private struct Memory: TileBytes {
    let bytes: [UInt8]
    var count: Int { bytes.count }
    func read(_ range: Range<Int>) -> [UInt8] { Array(bytes[range]) }
}

@Suite("Tile archives")
struct TileArchiveTests {
    /// An archive of `count` random tiles of zoom 0 to 9, some of them equal, and its tiles.
    private static func sample(seed: UInt64, count: Int) throws -> (bytes: [UInt8], tiles: [TileAddress: [UInt8]]) {
        var generator = SplitMix64(seed: seed)
        var tiles: [TileAddress: [UInt8]] = [:]
        var builder = TileArchiveBuilder()
        while tiles.count < count {
            let zoom = Int.random(in: 0...9, using: &generator)
            let side = 0..<(1 << zoom)
            let tile = TileAddress(
                zoom: zoom,
                column: .random(in: side, using: &generator),
                row: .random(in: side, using: &generator)
            )
            guard let tile, tiles[tile] == nil else { continue }
            let isCommon = Bool.random(using: &generator)
            let length = isCommon ? 8 : Int.random(in: 1...200, using: &generator)
            let content = (0..<length).map { isCommon ? UInt8($0) : UInt8.random(in: .min ... .max, using: &generator) }
            tiles[tile] = content
            try builder.add(tile, bytes: content)
        }
        let bytes = try builder.finish(metadata: Array("{\"name\":\"x\"}".utf8), bounds: [-10, -20, 30, 40])
        return (bytes, tiles)
    }

    @Test("MAP-13 Every tile of an archive is found again, and no other", arguments: [(1, 3), (2, 500), (3, 60_000)])
    func roundTrip(seed: UInt64, count: Int) throws {
        let (bytes, tiles) = try TileArchiveTests.sample(seed: seed, count: count)
        let archive = try TileArchive(bytes: Memory(bytes: bytes))
        #expect(archive.kind == .vector && archive.isPacked && archive.tileCount == UInt64(count))
        #expect(archive.bounds == [-10, -20, 30, 40])
        #expect(archive.metadata == Array("{\"name\":\"x\"}".utf8))
        var misses = 0
        for zoom in 0...9 {
            let step = count < 1_000 ? 1 : 7
            for column in stride(from: 0, to: 1 << zoom, by: step) {
                for row in stride(from: 0, to: 1 << zoom, by: step) {
                    let tile = try #require(TileAddress(zoom: zoom, column: column, row: row))
                    let found = try archive.tile(tile).map { try Gzip.decompress($0, limit: 1_000) }
                    if found != tiles[tile] { misses += 1 }
                }
            }
        }
        #expect(misses == 0)
        #expect(try archive.tile(#require(TileAddress(zoom: 10, column: 0, row: 0))) == nil)
    }

    @Test("MAP-13 Equal tiles are stored once, and the order of adding does not change the archive")
    func equalTiles() throws {
        let addresses = (0..<64).compactMap { TileAddress(zoom: 6, column: $0, row: 20) }
        func archive(_ addresses: [TileAddress]) throws -> [UInt8] {
            var builder = TileArchiveBuilder()
            for tile in addresses { try builder.add(tile, bytes: [UInt8](repeating: 7, count: 900)) }
            return try builder.finish(metadata: Array("{}".utf8), bounds: [-180, -85, 180, 85])
        }
        let bytes = try archive(addresses)
        #expect(bytes == (try archive(addresses.reversed())))
        #expect(bytes.count < 600)
    }

    @Test("MAP-13 Tiles are numbered as other programs number them")
    func numbers() throws {
        // From the reference implementation in Python, pmtiles 3.
        let known: [(z: Int, x: Int, y: Int, number: UInt64)] = [
            (0, 0, 0, 0),
            (1, 0, 0, 1),
            (1, 0, 1, 2),
            (1, 1, 1, 3),
            (1, 1, 0, 4),
            (2, 0, 0, 5),
            (2, 3, 0, 20),
            (3, 4, 5, 56),
            (5, 1, 29, 679),
            (9, 255, 53, 110_523),
            (12, 1_284, 927, 7_454_372),
            (16, 48_731, 61_481, 4_032_040_057),
            (20, 517_100, 798_507, 847_422_402_058),
            (26, 13_686_772, 33_464_602, 2_362_109_825_493_449),
        ]
        for tile in known {
            #expect(TileAddress(zoom: tile.z, column: tile.x, row: tile.y)?.number == tile.number)
        }
        #expect(TileAddress(zoom: 1, column: 2, row: 0) == nil)
        #expect(TileAddress(zoom: 27, column: 0, row: 0) == nil)
        #expect(TileAddress(zoom: "3", column: "07", row: "1") == nil)
    }

    @Test("MAP-13 A damaged archive is reported, and reading it does not crash")
    func damage() throws {
        let (bytes, tiles) = try TileArchiveTests.sample(seed: 9, count: 300)
        #expect(throws: TileArchiveError.notAnArchive) { try TileArchive(bytes: Memory(bytes: [1, 2, 3])) }
        #expect(throws: TileArchiveError.notAnArchive) { try TileArchive(bytes: Memory(bytes: [])) }
        var generator = SplitMix64(seed: 10)
        var reported = 0
        for _ in 0..<3_000 {
            var broken = bytes
            if Bool.random(using: &generator) {
                broken.removeLast(Int.random(in: 1..<bytes.count, using: &generator))
            } else {
                for _ in 0..<Int.random(in: 1...8, using: &generator) {
                    broken[Int.random(in: 0..<min(900, bytes.count), using: &generator)] ^= UInt8(
                        1 << Int.random(in: 0...7, using: &generator)
                    )
                }
            }
            do {
                let archive = try TileArchive(bytes: Memory(bytes: broken))
                for tile in tiles.keys.prefix(20) { _ = try archive.tile(tile) }
            } catch is TileArchiveError {
                reported += 1
            }
        }
        #expect(reported > 2_000)
    }
}
