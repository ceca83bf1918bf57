import Basemap
import Formats
import Geometry
import Synchronization
import Testing

/// An archive in memory that is written and read.
private final class Written: TileOutput, TileBytes {
    private let content = Mutex<[UInt8]>([])

    var count: Int { content.withLock { $0.count } }

    func write(_ bytes: [UInt8], at offset: UInt64) {
        content.withLock { content in
            let end = Int(offset) + bytes.count
            if content.count < end { content += [UInt8](repeating: 0, count: end - content.count) }
            content.replaceSubrange(Int(offset)..<end, with: bytes)
        }
    }

    func read(_ range: Range<Int>) -> [UInt8] { content.withLock { Array($0[range]) } }

    /// Cuts off the end.
    func cut(to length: Int) { content.withLock { $0.removeLast($0.count - length) } }
}

@Suite("Writing tile archives")
struct TileArchiveWriterTests {
    private static let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    /// An archive of `count` images, every third of them the same, added in random order.
    private static func images(_ count: Int) throws -> (file: Written, tiles: [TileAddress: [UInt8]], stored: Int) {
        var generator = SplitMix64(seed: UInt64(count))
        let file = Written()
        var writer = TileArchiveWriter(output: file, kind: .png)
        var tiles: [TileAddress: [UInt8]] = [:]
        for number in (0..<count).shuffled(using: &generator) {
            let tile = try #require(TileAddress(zoom: 12, column: number % 4_096, row: number / 4_096))
            let text = number.isMultiple(of: 3) ? "same" : "\(number)"
            tiles[tile] = png + Array(text.utf8)
            try writer.add(tile, stored: png + Array(text.utf8))
            // A repetition of the address does not count.
            if number == 1 { try writer.add(tile, stored: png + Array("again".utf8)) }
        }
        let stored = try writer.finish(metadata: Array("{\"name\":\"x\"}".utf8), bounds: [-1, -2, 3, 4])
        return (file, tiles, stored)
    }

    @Test("MAP-13 Tiles written as they come are all found again", arguments: [2, 300, 30_000])
    func roundTrip(count: Int) throws {
        let (file, tiles, stored) = try TileArchiveWriterTests.images(count)
        let archive = try TileArchive(bytes: file)
        #expect(stored == count && archive.tileCount == UInt64(count))
        #expect(
            archive.kind == .png && !archive.isPacked && archive.zooms == 12...12 && archive.bounds == [-1, -2, 3, 4]
        )
        #expect(try archive.survey() == UInt64(count))
        for (tile, content) in tiles { #expect(try archive.tile(tile) == content) }
        #expect(try archive.tile(#require(TileAddress(zoom: 12, column: 4_000, row: 4_000))) == nil)
    }

    @Test("MAP-11 An archive says that it is in order only if its tiles came so")
    func clustered() throws {
        func written(_ order: [Int]) throws -> Written {
            let file = Written()
            var writer = TileArchiveWriter(output: file, kind: .png)
            for number in order {
                let address = try #require(TileAddress(zoom: 3, column: number % 8, row: number / 8))
                try writer.add(address, stored: TileArchiveWriterTests.png + [UInt8(number % 5)])
            }
            _ = try writer.finish(metadata: Array("{}".utf8), bounds: [-1, -2, 3, 4])
            return file
        }
        let order = try (0..<64)
            .sorted { first, second in
                let one = try #require(TileAddress(zoom: 3, column: first % 8, row: first / 8))
                let other = try #require(TileAddress(zoom: 3, column: second % 8, row: second / 8))
                return one.number < other.number
            }
        // The byte of the header that says so.
        #expect(try written(order).read(96..<97) == [1])
        #expect(try written(order.reversed()).read(96..<97) == [0])
        #expect(try written(order + [order[0]]).read(96..<97) == [0])
    }

    @Test("Another description is appended, and the tiles stay as they are")
    func description() throws {
        let (file, tiles, _) = try TileArchiveWriterTests.images(300)
        let change = try TileArchive(bytes: file).described(by: Array("{\"attribution\":\"A library\"}".utf8))
        file.write(change.addition, at: UInt64(file.count))
        file.write(change.header, at: 0)
        let archive = try TileArchive(bytes: file)
        #expect(archive.metadata == Array("{\"attribution\":\"A library\"}".utf8))
        for (tile, content) in tiles { #expect(try archive.tile(tile) == content) }
    }

    @Test("A survey finds tiles of another type, and files that were cut off")
    func damage() throws {
        let file = Written()
        var writer = TileArchiveWriter(output: file, kind: .vector)
        try writer.add(#require(TileAddress(zoom: 0, column: 0, row: 0)), stored: TileArchiveWriterTests.png)
        _ = try writer.finish(metadata: Array("{}".utf8), bounds: [0, 0, 1, 1])
        #expect(throws: TileArchiveError.damaged) { try TileArchive(bytes: file).survey() }
        for length in [0, 50, 127, 16_384, 20_000] {
            let (file, _, _) = try TileArchiveWriterTests.images(3_000)
            file.cut(to: min(length, file.count - 1))
            #expect(throws: TileArchiveError.self) { try TileArchive(bytes: file).survey() }
        }
    }

    @Test("Tiles are known by their bytes")
    func kinds() throws {
        #expect(TileContent.kind(of: TileArchiveWriterTests.png) == .png)
        #expect(TileContent.kind(of: [0xFF, 0xD8, 0xFF, 0xE0]) == .jpeg)
        #expect(TileContent.kind(of: Array("RIFF\u{1}\u{1}\u{1}\u{1}WEBPVP8 ".utf8)) == .webp)
        #expect(TileContent.kind(of: []) == nil && TileContent.kind(of: Array("<svg>".utf8)) == nil)
        var layer = VectorTile(name: "roads")
        layer.addPoint(x: 1, y: 2, properties: [])
        #expect(TileContent.layers(of: layer.bytes) == ["roads"])
        let packed = try #require(TileContent.packedVector(layer.bytes))
        #expect(try Gzip.decompress(packed, limit: 1_000) == layer.bytes)
        #expect(TileContent.packedVector(packed) == packed)
        for length in 1..<layer.bytes.count {
            #expect(TileContent.packedVector(Array(layer.bytes.prefix(length))) == nil)
        }
        #expect(TileContent.packedVector([0x1F, 0x8B, 1, 2, 3]) == nil)
        let bomb = try Gzip.compress([UInt8](repeating: 0x1A, count: TileContent.longestTile + 1))
        #expect(TileContent.packedVector(bomb) == nil)
    }
}
