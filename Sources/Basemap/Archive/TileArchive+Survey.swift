import Formats

extension TileArchive {
    /// Reads a part of the archive as bytes, header and directories included.
    ///
    /// - Throws: An error of the file.
    public func read(_ range: Range<Int>) throws -> [UInt8] { try bytes.read(range.clamped(to: 0..<bytes.count)) }

    /// Checks all directories, and that tiles are what the header says.
    ///
    /// Of a large archive, some thousand tiles are read, spread evenly.
    /// - Returns: The number of tiles.
    /// - Throws: ``TileArchiveError``, or an error of the file.
    public func survey() throws -> UInt64 {
        var count: UInt64 = 0
        var contents = 0
        let step = max(1, Int(clamping: header.contentCount) / 5_000)
        try forEachEntry { entry in
            count += UInt64(entry.run)
            contents += 1
            guard entry.length <= UInt32(TileContent.longestTile) else { throw TileArchiveError.damaged }
            let place = try range(of: entry, in: header.tiles)
            guard contents.isMultiple(of: step) else { return }
            let tile = try bytes.read(place)
            let isRight =
                kind == .vector ? TileContent.packedVector(tile) != nil : TileContent.kind(of: tile) == kind
            guard isRight || kind == .avif else { throw TileArchiveError.damaged }
        }
        return count
    }

    /// The maximum number of directories that a check follows; the tiles of the whole world to zoom 15 need fewer.
    private static let mostDirectories = 400_000

    /// Passes the entries of all tiles to `body`, in the order of their numbers.
    private func forEachEntry(_ body: (TileEntry) throws -> Void) throws {
        var next: UInt64 = 0
        var directories = 0
        func visit(_ entries: [TileEntry], depth: Int) throws {
            for entry in entries {
                if entry.run == 0 {
                    directories += 1
                    guard depth < 4, entry.number >= next, directories <= TileArchive.mostDirectories else {
                        throw TileArchiveError.damaged
                    }
                    try visit(leaf(entry), depth: depth + 1)
                } else {
                    // Numbers rise over all directories, so none is visited twice.
                    guard entry.number >= next else { throw TileArchiveError.damaged }
                    next = entry.number &+ UInt64(entry.run)
                    try body(entry)
                }
            }
        }
        try visit(root, depth: 0)
    }

    /// Returns what replaces the header and follows the end of the file, so that `metadata`, a JSON object, describes the
    /// archive.
    ///
    /// - Throws: `Gzip.Failure` if there is not enough memory.
    public func described(by metadata: [UInt8]) throws -> (header: [UInt8], addition: [UInt8]) {
        var header = header
        let addition = header.internalCompression == .gzip ? try Gzip.compress(metadata, level: 9) : metadata
        header.metadata = TileHeader.Section(offset: UInt64(byteCount), length: UInt64(addition.count))
        return (header.bytes, addition)
    }
}
