import Formats

/// A place for the bytes of an archive, such as a file.
public protocol TileOutput {
    /// Writes bytes at an offset, which may be beyond the end.
    mutating func write(_ bytes: [UInt8], at offset: UInt64) throws
}

/// Writes tiles as an archive (PMTiles 3) as they come, so that only the list of tiles is in memory.
///
/// The tiles lie in the file in the order in which they are added; equal small ones are stored once. If that is the
/// order of their numbers (``TileAddress/number``), the archive says so: programs that copy a region of it can then read
/// it in a few pieces. Takes about 24 bytes of memory per tile.
public struct TileArchiveWriter<Output: TileOutput & Sendable>: Sendable {
    private var output: Output
    private let kind: TileKind
    private var entries: [TileEntry] = []
    private var end = UInt64(TileHeader.firstRead)
    /// Where each small tile lies: only small ones are likely to occur again.
    private var known: [[UInt8]: UInt64] = [:]
    private var zooms: ClosedRange<Int>?
    /// Whether every tile so far came after those with lower numbers.
    private var isClustered = true

    /// The length up to which a tile is compared with the others, and the number of tiles that are.
    private static var compared: (length: Int, count: Int) { (512, 100_000) }

    /// Creates an archive without tiles of one type.
    public init(output: Output, kind: TileKind) {
        self.output = output
        self.kind = kind
    }

    /// The number of tiles added.
    public var count: Int { entries.count }

    /// Adds a tile by its bytes: vector tiles compressed with gzip, images as they are.
    public mutating func add(_ tile: TileAddress, stored bytes: [UInt8]) throws {
        guard !bytes.isEmpty, let length = UInt32(exactly: bytes.count) else { return }
        let isCompared = bytes.count <= Self.compared.length
        var offset = end
        if isCompared, let same = known[bytes] {
            offset = same
        } else {
            try output.write(bytes, at: end)
            if isCompared, known.count < Self.compared.count { known[bytes] = end }
            end += UInt64(bytes.count)
        }
        zooms = zooms.map { min($0.lowerBound, tile.z)...max($0.upperBound, tile.z) } ?? tile.z...tile.z
        let start = UInt64(TileHeader.firstRead)
        let number = tile.number
        if let last = entries.last, last.number >= number { isClustered = false }
        entries.append(TileEntry(number: number, offset: offset - start, length: length, run: 1))
    }

    /// Writes what is left; of tiles with the same address, the first counts.
    ///
    /// - Parameters:
    ///   - metadata: A JSON object, such as `{"vector_layers":[…]}`.
    ///   - bounds: West, south, east and north in degrees.
    /// - Returns: The number of tiles in the archive.
    /// - Throws: An error of the output, or `Gzip.Failure` if there is not enough memory.
    public consuming func finish(metadata: [UInt8], bounds: [Double]) throws -> Int {
        let tiles = TileHeader.Section(
            offset: UInt64(TileHeader.firstRead),
            length: end - UInt64(TileHeader.firstRead)
        )
        let contents = Set(entries.map(\.offset)).count
        let addressed = sort()
        let (root, leaves) = try TileDirectory.packed(entries)
        let packedMetadata = try Gzip.compress(metadata, level: 9)
        var header = TileHeader()
        (header.addressedCount, header.entryCount) = (UInt64(addressed), UInt64(entries.count))
        header.contentCount = UInt64(contents)
        header.isClustered = isClustered
        header.tileCompression = kind == .vector ? .gzip : .none
        header.kind = kind
        header.bounds = bounds
        (header.minimumZoom, header.maximumZoom) = (zooms?.lowerBound ?? 0, zooms?.upperBound ?? 0)
        header.centreZoom = header.minimumZoom
        header.root = TileHeader.Section(offset: UInt64(TileHeader.length), length: UInt64(root.count))
        header.tiles = tiles
        header.leaves = TileHeader.Section(offset: end, length: UInt64(leaves.count))
        header.metadata = TileHeader.Section(
            offset: end + UInt64(leaves.count),
            length: UInt64(packedMetadata.count)
        )
        try output.write(leaves + packedMetadata, at: end)
        try output.write(header.bytes + root, at: 0)
        return addressed
    }

    /// Sorts the entries, removes repeated addresses and joins neighbours that share their bytes.
    private mutating func sort() -> Int {
        // The sort is stable, so the first of equal ones stays in front.
        entries.sort { $0.number < $1.number }
        var joined: [TileEntry] = []
        var last: UInt64?
        var count = 0
        for entry in entries where entry.number != last {
            last = entry.number
            count += 1
            if let before = joined.last, before.offset == entry.offset,
                before.number + UInt64(before.run) == entry.number
            {
                joined[joined.count - 1].run += 1
            } else {
                joined.append(entry)
            }
        }
        entries = joined
        return count
    }
}
