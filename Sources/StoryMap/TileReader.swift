import Geometry

/// Reads tiles of one view of one snapshot, caching results and reusing cached ones while they are valid.
struct TileReader: Sendable {
    /// The wanted stories of the viewer.
    let scope: Scope
    let generation: UInt64
    let log: ChangeLog
    /// The digests of the names of the viewer's layers.
    let layers: Set<UInt64>
    let store: TileStore

    /// The number of cells by which the wanted region is extended at first: eight cells, 256 pixels, are usually
    /// enough.
    private static let margin: UInt32 = 8

    /// Returns the tiles with the given keys, all of one zoom, in order; tiles that are not cached are computed
    /// together.
    ///
    /// With `areDrawn`, the tiles include their markers.
    func tiles(_ keys: [TileKey], areDrawn: Bool) -> [ClusterTile] {
        let known = known(keys, areDrawn: areDrawn)
        let missing = zip(keys, known).compactMap { $1 == nil ? $0 : nil }
        guard let hole = CellRegion.holding(missing) else { return known.compactMap { $0 } }
        let found = found(hole, areDrawn: areDrawn)
        return zip(keys, known).compactMap { $1 ?? found[$0] }
    }

    /// Returns the cached tiles that are still valid.
    private func known(_ keys: [TileKey], areDrawn: Bool) -> [ClusterTile?] {
        let entries = store.entries(keys)
            .map { entry in entry.flatMap { areDrawn && $0.tile.markers == nil ? nil : $0 } }
        if entries.allSatisfy({ $0 == nil || $0?.generation == generation }) { return entries.map { $0?.tile } }
        var hopeful: [ObjectIdentifier: (origin: ClusterTile.Origin, isUnchanged: Bool)] = [:]
        for entry in entries {
            guard let entry, entry.generation < generation else { continue }
            // Tiles with one origin can have been validated for different generations.
            let isUnchanged = !log.hasChanges(in: entry.tile.origin.area, layers: layers, after: entry.generation)
            let name = ObjectIdentifier(entry.tile.origin)
            hopeful[name] = (entry.tile.origin, (hopeful[name]?.isUnchanged ?? true) && isUnchanged)
        }
        let right = right(hopeful.values.filter(\.isUnchanged).map(\.origin))
        var confirmed: [(TileKey, ClusterTile)] = []
        let tiles = zip(keys, entries)
            .map { key, entry -> ClusterTile? in
                guard let entry, entry.generation <= generation else { return nil }
                if entry.generation == generation { return entry.tile }
                guard right.contains(ObjectIdentifier(entry.tile.origin)) else { return nil }
                confirmed.append((key, entry.tile))
                return entry.tile
            }
        store.keep(confirmed, generation: generation)
        return tiles
    }

    /// Returns the origins whose source tiles are unchanged.
    private func right(_ origins: [ClusterTile.Origin]) -> Set<ObjectIdentifier> {
        let keys = Set(origins.flatMap { $0.sources.map(\.key) }).sorted { $0.rawValue < $1.rawValue }
        guard !keys.isEmpty else { return Set(origins.map { ObjectIdentifier($0) }) }
        let stamps = Dictionary(uniqueKeysWithValues: zip(keys, tiles(keys, areDrawn: false).map(\.stamp)))
        let right = origins.filter { origin in origin.sources.allSatisfy { stamps[$0.key] == $0.stamp } }
        return Set(right.map { ObjectIdentifier($0) })
    }

    /// Computes all tiles of a region and caches them.
    private func found(_ region: CellRegion, areDrawn: Bool) -> [TileKey: ClusterTile] {
        let (clustering, sources) = clustering(of: region)
        let origin = ClusterTile.Origin(area: clustering.region, sources: sources)
        let keys = TileKey.covering(region)
        let contents = clustering.contents(of: region)
        var drawing = MarkerDrawing(clustering, scope: scope)
        let markers = areDrawn ? drawing.markers(in: region) : nil
        let before = store.entries(keys)
        var stamp = store.newStamps(keys.count)
        var tiles: [(key: TileKey, tile: ClusterTile)] = []
        tiles.reserveCapacity(keys.count)
        for index in keys.indices {
            if let known = before[index], known.generation == generation, known.tile.markers != nil || !areDrawn {
                tiles.append((keys[index], known.tile))
                continue
            }
            let isSame = before[index].map { contents[index].isSame(as: $0.tile) } ?? false
            let tile = ClusterTile(
                stamp: isSame ? before[index]?.tile.stamp ?? stamp : stamp,
                origin: origin,
                contents: contents[index],
                markers: markers?[index]
            )
            stamp += 1
            tiles.append((keys[index], tile))
        }
        store.keep(tiles, generation: generation)
        return Dictionary(uniqueKeysWithValues: tiles.map { ($0.key, $0.tile) })
    }

    /// Returns the markers of a region of cells, with everything that affects them, and the tiles they were computed
    /// from.
    func clustering(of core: CellRegion) -> (clustering: Clustering, sources: [ClusterTile.Source]) {
        let zoom = core.level - CellRegion.levelsPerTile
        var margin = TileReader.margin
        while true {
            let region = core.grown(cells: margin)
            var outer = OuterMarkers(of: region, reader: self)
            let clustering = Clustering(scope, region: region, core: core, zoom: zoom) { column, row in
                outer.marker(column: column, row: row)
            }
            if clustering.isComplete { return (clustering, outer.sources) }
            margin += margin / 2
        }
    }
}

/// The markers one zoom further out for the cells of a region, read from tiles on first use.
///
/// If stories are sparse, hardly any two are close enough to matter, and nothing is read at all.
private struct OuterMarkers {
    private let reader: TileReader
    private let region: CellRegion
    /// The leaders by row and column of ``region``, zero if a cell has no story.
    private var leaders: [UInt64] = []
    private(set) var sources: [ClusterTile.Source] = []

    init(of inner: CellRegion, reader: TileReader) {
        self.reader = reader
        region = inner.level > CellRegion.levelsPerTile ? inner.parent.wholeTiles : inner
    }

    mutating func marker(column: UInt32, row: UInt32) -> UInt64 {
        if leaders.isEmpty { read() }
        return leaders[Int(row - region.row) * Int(region.width) + Int(region.offset(ofColumn: column))]
    }

    private mutating func read() {
        leaders = [UInt64](repeating: 0, count: region.area)
        let keys = TileKey.covering(region)
        for (key, tile) in zip(keys, reader.tiles(keys, areDrawn: false)) {
            sources.append(ClusterTile.Source(key: key, stamp: tile.stamp))
            let cells = key.cells
            let corner = Int(cells.row - region.row) * Int(region.width) + Int(region.offset(ofColumn: cells.column))
            for (cell, leader) in zip(tile.cells, tile.leaders) {
                leaders[corner + Int(cell >> 3) * Int(region.width) + Int(cell & 7)] = leader
            }
        }
    }
}
