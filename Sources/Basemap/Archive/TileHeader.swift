/// The first 127 bytes of a tile archive (PMTiles 3, section 3).
struct TileHeader: Equatable, Sendable {
    static let length = 127
    /// The bytes within which header and root directory lie, so that one short request reads both.
    static let firstRead = 16_384
    private static let magic = Array("PMTiles".utf8)
    private static let version: UInt8 = 3

    /// A part of the file.
    struct Section: Equatable, Sendable {
        var offset: UInt64 = 0
        var length: UInt64 = 0
    }

    /// How bytes are compressed.
    enum Compression: UInt8, Sendable {
        case unknown = 0
        case none, gzip, brotli, zstandard
    }

    var root = Section()
    var metadata = Section()
    var leaves = Section()
    var tiles = Section()
    var addressedCount: UInt64 = 0
    var entryCount: UInt64 = 0
    var contentCount: UInt64 = 0
    /// Whether the tiles lie in the file in the order of their numbers.
    var isClustered = false
    var internalCompression = Compression.gzip
    var tileCompression = Compression.gzip
    var kind = TileKind.vector
    var minimumZoom = 0
    var maximumZoom = 0
    /// West, south, east and north in degrees.
    var bounds = [-180.0, -85.0, 180.0, 85.0]
    var centreZoom = 0

    init() {}

    /// The header as bytes.
    var bytes: [UInt8] {
        var bytes = TileHeader.magic + [TileHeader.version]
        for section in [root, metadata, leaves, tiles] {
            TileHeader.append(section.offset, to: &bytes)
            TileHeader.append(section.length, to: &bytes)
        }
        for count in [addressedCount, entryCount, contentCount] { TileHeader.append(count, to: &bytes) }
        bytes += [isClustered ? 1 : 0, internalCompression.rawValue, tileCompression.rawValue, kind.rawValue]
        bytes += [UInt8(clamping: minimumZoom), UInt8(clamping: maximumZoom)]
        for degrees in bounds { TileHeader.append(degrees: degrees, to: &bytes) }
        bytes.append(UInt8(clamping: centreZoom))
        TileHeader.append(degrees: (bounds[0] + bounds[2]) / 2, to: &bytes)
        TileHeader.append(degrees: (bounds[1] + bounds[3]) / 2, to: &bytes)
        return bytes
    }

    /// Reads a header and checks that its sections lie in a file of `fileLength` bytes.
    ///
    /// - Throws: ``TileArchiveError``.
    init(bytes: [UInt8], fileLength: UInt64) throws(TileArchiveError) {
        guard bytes.count >= TileHeader.length, bytes.starts(with: TileHeader.magic) else { throw .notAnArchive }
        guard bytes[7] == TileHeader.version else { throw .unsupported("version \(bytes[7]) of PMTiles") }
        func number(at offset: Int) -> UInt64 {
            (0..<8).reduce(0) { $0 | UInt64(bytes[offset + $1]) << UInt64(8 * $1) }
        }
        func section(at offset: Int) throws(TileArchiveError) -> Section {
            let section = Section(offset: number(at: offset), length: number(at: offset + 8))
            let (end, overflow) = section.offset.addingReportingOverflow(section.length)
            guard !overflow, end <= fileLength else { throw .damaged }
            return section
        }
        func degrees(at offset: Int) -> Double {
            let raw = (0..<4).reduce(UInt32(0)) { $0 | UInt32(bytes[offset + $1]) << UInt32(8 * $1) }
            return Double(Int32(bitPattern: raw)) / 1e7
        }
        root = try section(at: 8)
        metadata = try section(at: 24)
        leaves = try section(at: 40)
        tiles = try section(at: 56)
        (addressedCount, entryCount, contentCount) = (number(at: 72), number(at: 80), number(at: 88))
        isClustered = bytes[96] == 1
        guard let packed = Compression(rawValue: bytes[97]), packed == .none || packed == .gzip else {
            throw .unsupported("directories that are neither plain nor gzip")
        }
        guard let tilePacked = Compression(rawValue: bytes[98]), tilePacked == .none || tilePacked == .gzip else {
            throw .unsupported("tiles that are neither plain nor gzip")
        }
        (internalCompression, tileCompression) = (packed, tilePacked)
        guard let kind = TileKind(rawValue: bytes[99]) else { throw .unsupported("tiles of an unknown type") }
        self.kind = kind
        (minimumZoom, maximumZoom) = (Int(bytes[100]), Int(bytes[101]))
        guard minimumZoom <= maximumZoom, maximumZoom <= TileAddress.maximumZoom else { throw .damaged }
        bounds = [102, 106, 110, 114].map(degrees)
        centreZoom = Int(bytes[118])
    }

    private static func append(_ number: UInt64, to bytes: inout [UInt8]) {
        for shift in 0..<8 { bytes.append(UInt8(truncatingIfNeeded: number >> UInt64(8 * shift))) }
    }

    private static func append(degrees: Double, to bytes: inout [UInt8]) {
        let raw = UInt32(bitPattern: Int32((degrees * 1e7).rounded()))
        for shift in 0..<4 { bytes.append(UInt8(truncatingIfNeeded: raw >> UInt32(8 * shift))) }
    }
}

/// The type of the tiles of an archive.
public enum TileKind: UInt8, Sendable {
    /// Mapbox Vector Tiles.
    case vector = 1
    /// Images.
    case png, jpeg, webp, avif

    /// The media type of a tile.
    public var mediaType: String {
        switch self {
        case .vector: "application/vnd.mapbox-vector-tile"
        case .png: "image/png"
        case .jpeg: "image/jpeg"
        case .webp: "image/webp"
        case .avif: "image/avif"
        }
    }
}

/// The reason why a tile archive cannot be read.
public enum TileArchiveError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The file does not begin like a tile archive.
    case notAnArchive
    /// The file uses something that is not supported.
    case unsupported(String)
    /// A part of the file is missing or makes no sense.
    case damaged

    /// The reason as a clause without a full stop.
    public var description: String {
        switch self {
        case .notAnArchive: "the file is not a PMTiles archive"
        case .unsupported(let feature): "the archive uses \(feature), which Waymark does not read"
        case .damaged: "the archive is damaged or incomplete"
        }
    }
}
