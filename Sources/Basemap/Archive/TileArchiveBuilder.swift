import Formats

/// Collects tiles and writes them as one archive (PMTiles 3).
///
/// Equal tiles, such as those that are all land, are stored once. The same tiles give the same bytes, in whatever
/// order they were added. All tiles are held in memory, compressed.
public struct TileArchiveBuilder: Sendable {
    private struct Content: Sendable {
        var bytes: [UInt8]
        var offset: UInt64?
    }

    private var contents: [Content] = []
    private var numbers: [(tile: UInt64, content: Int)] = []
    /// The number of the content of each small tile: only small ones are likely to occur again.
    private var known: [[UInt8]: Int] = [:]
    private var zooms: ClosedRange<Int>?

    /// The length up to which a tile is compared with the others.
    private static let comparedLength = 1_024

    /// Creates an archive without tiles.
    public init() {}

    /// The number of tiles added.
    public var count: Int { numbers.count }

    /// Adds a tile by its uncompressed bytes; each address may be added once.
    ///
    /// - Throws: `Gzip.Failure` if there is not enough memory to compress it.
    public mutating func add(_ tile: TileAddress, bytes: [UInt8]) throws {
        zooms = zooms.map { min($0.lowerBound, tile.z)...max($0.upperBound, tile.z) } ?? tile.z...tile.z
        if bytes.count <= TileArchiveBuilder.comparedLength, let content = known[bytes] {
            numbers.append((tile.number, content))
            return
        }
        if bytes.count <= TileArchiveBuilder.comparedLength { known[bytes] = contents.count }
        numbers.append((tile.number, contents.count))
        contents.append(Content(bytes: try Gzip.compress(bytes, level: 9)))
    }

    /// Makes the archive.
    ///
    /// `metadata` is a JSON object, such as `{"vector_layers":[…]}`; `bounds` are west, south, east and north in degrees.
    /// - Returns: The archive as bytes.
    /// - Throws: `Gzip.Failure` if there is not enough memory.
    public consuming func finish(metadata: [UInt8], bounds: [Double]) throws -> [UInt8] {
        numbers.sort { $0.tile < $1.tile }
        let (entries, tiles) = place()
        var header = TileHeader()
        header.addressedCount = UInt64(numbers.count)
        header.entryCount = UInt64(entries.count)
        header.contentCount = UInt64(contents.count)
        header.isClustered = true
        header.bounds = bounds
        (header.minimumZoom, header.maximumZoom) = (zooms?.lowerBound ?? 0, zooms?.upperBound ?? 0)
        header.centreZoom = header.minimumZoom
        let (root, leaves) = try TileDirectory.packed(entries)
        let packedMetadata = try Gzip.compress(metadata, level: 9)
        var end = UInt64(TileHeader.length)
        func section(_ bytes: [UInt8]) -> TileHeader.Section {
            defer { end += UInt64(bytes.count) }
            return TileHeader.Section(offset: end, length: UInt64(bytes.count))
        }
        header.root = section(root)
        header.metadata = section(packedMetadata)
        header.leaves = section(leaves)
        header.tiles = section(tiles)
        return header.bytes + root + packedMetadata + leaves + tiles
    }

    /// Lays the tiles one after the other in the order of their numbers, each content where it first occurs.
    private mutating func place() -> (entries: [TileEntry], tiles: [UInt8]) {
        var entries: [TileEntry] = []
        var tiles: [UInt8] = []
        tiles.reserveCapacity(contents.reduce(0) { $0 + $1.bytes.count })
        for (number, content) in numbers {
            let offset = contents[content].offset ?? UInt64(tiles.count)
            if contents[content].offset == nil {
                contents[content].offset = offset
                tiles += contents[content].bytes
            }
            if let last = entries.last, last.offset == offset, last.number + UInt64(last.run) == number {
                entries[entries.count - 1].run += 1
            } else {
                let length = UInt32(contents[content].bytes.count)
                entries.append(TileEntry(number: number, offset: offset, length: length, run: 1))
            }
        }
        return (entries, tiles)
    }
}
