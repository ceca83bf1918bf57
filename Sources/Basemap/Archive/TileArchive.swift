import Formats
import Synchronization

/// The bytes of a tile archive, wherever they lie.
public protocol TileBytes: Sendable {
    /// The length in bytes.
    var count: Int { get }
    /// Returns the bytes of a range within `0..<count`.
    func read(_ range: Range<Int>) throws -> [UInt8]
}

/// A tile archive (PMTiles 3), open for reading.
///
/// Nothing in the file is trusted: sections, directories and tiles outside of it are reported as damage.
public final class TileArchive: Sendable {
    /// The maximum length of a directory in bytes, uncompressed.
    private static let directoryLimit = 16 << 20
    /// The maximum length of the metadata in bytes, uncompressed.
    private static let metadataLimit = 4 << 20
    /// The number of directories below the root that are kept.
    private static let keptLeaves = 64

    let bytes: any TileBytes
    let header: TileHeader
    let root: [TileEntry]
    private let leaves = Mutex<[UInt64: [TileEntry]]>([:])

    /// The type of the tiles.
    public var kind: TileKind { header.kind }
    /// The zooms at which there are tiles.
    public var zooms: ClosedRange<Int> { header.minimumZoom...header.maximumZoom }
    /// West, south, east and north in degrees.
    public var bounds: [Double] { header.bounds }
    /// The number of tiles, as the archive states it.
    public var tileCount: UInt64 { header.addressedCount }
    /// The length of the archive in bytes.
    public var byteCount: Int { bytes.count }
    /// Whether tiles are compressed with gzip.
    public var isPacked: Bool { header.tileCompression == .gzip }
    /// A JSON object that describes the archive.
    public let metadata: [UInt8]

    /// Opens an archive.
    ///
    /// - Throws: ``TileArchiveError``, or an error of `bytes`.
    public init(bytes: any TileBytes) throws {
        self.bytes = bytes
        let start = try bytes.read(0..<min(bytes.count, TileHeader.length))
        header = try TileHeader(bytes: start, fileLength: UInt64(bytes.count))
        let packed = header.internalCompression == .gzip
        root = try TileArchive.directory(at: header.root, in: bytes, isPacked: packed)
        metadata = try TileArchive.read(header.metadata, in: bytes, isPacked: packed, limit: TileArchive.metadataLimit)
    }

    /// Returns the bytes of a tile as they are stored; `nil` if the archive has none there.
    ///
    /// - Throws: ``TileArchiveError/damaged``, or an error of the file.
    /// - Complexity: O(log *n*); one read of the file, and one more for each directory not read lately.
    public func tile(_ address: TileAddress) throws -> [UInt8]? {
        guard zooms.contains(address.z) else { return nil }
        let number = address.number
        var entries = root
        // The specification has a root and at most three levels below it.
        for _ in 0..<4 {
            guard let entry = TileDirectory.entry(for: number, in: entries) else { return nil }
            if entry.run > 0 {
                guard number - entry.number < UInt64(entry.run) else { return nil }
                let place = try range(of: entry, in: header.tiles)
                return try bytes.read(place)
            }
            entries = try leaf(entry)
        }
        throw TileArchiveError.damaged
    }

    func leaf(_ entry: TileEntry) throws -> [TileEntry] {
        if let kept = leaves.withLock({ $0[entry.offset] }) { return kept }
        let place = try range(of: entry, in: header.leaves)
        let section = TileHeader.Section(offset: UInt64(place.lowerBound), length: UInt64(place.count))
        let packed = header.internalCompression == .gzip
        let entries = try TileArchive.directory(at: section, in: bytes, isPacked: packed)
        leaves.withLock { leaves in
            if leaves.count >= TileArchive.keptLeaves { leaves.removeAll() }
            leaves[entry.offset] = entries
        }
        return entries
    }

    /// Returns where the bytes of an entry lie in the file, within `section`.
    func range(of entry: TileEntry, in section: TileHeader.Section) throws(TileArchiveError) -> Range<Int> {
        let (end, overflow) = entry.offset.addingReportingOverflow(UInt64(entry.length))
        guard !overflow, end <= section.length else { throw .damaged }
        let start = Int(section.offset + entry.offset)
        return start..<(start + Int(entry.length))
    }

    private static func directory(
        at section: TileHeader.Section,
        in bytes: any TileBytes,
        isPacked: Bool
    ) throws -> [TileEntry] {
        try TileDirectory.decode(read(section, in: bytes, isPacked: isPacked, limit: directoryLimit))
    }

    private static func read(
        _ section: TileHeader.Section,
        in bytes: any TileBytes,
        isPacked: Bool,
        limit: Int
    ) throws -> [UInt8] {
        guard section.length <= UInt64(limit) else { throw TileArchiveError.damaged }
        let stored = try bytes.read(Int(section.offset)..<Int(section.offset + section.length))
        guard isPacked, !stored.isEmpty else { return stored }
        do {
            return try Gzip.decompress(stored, limit: limit)
        } catch {
            throw TileArchiveError.damaged
        }
    }
}
