import Geometry

/// Finds tiles of one view of one snapshot: keeps what it finds, and uses what was found before as long as it is right.
struct TileReader: Sendable {
    /// The wanted stories of the viewer.
    let scope: Scope
    let generation: UInt64
    let log: ChangeLog
    /// The digests of the names of the viewer's layers.
    let layers: Set<UInt64>
    let store: TileStore

    /// How many cells around a tile are looked at first: 224 pixels are enough for all but a few.
    private static let margin: UInt32 = 7

    /// The tile, found anew if need be.
    func tile(_ key: TileKey) -> ClusterTile {
        let known = store.tile(key)
        if let known, isRight(known, areas: [known.value.area], sources: known.value.sources) {
            if known.generation != generation {
                store.keep(.init(value: known.value, generation: generation), key: key)
            }
            return known.value
        }
        if isEmpty(key.cells) { return emptyTile(key, margin: 0) }
        return found(key).tile
    }

    private func emptyTile(_ key: TileKey, margin: UInt32) -> ClusterTile {
        let tile = ClusterTile(key: key, stamp: 0, margin: margin, cells: [], markers: [], sources: [])
        store.keep(.init(value: tile, generation: generation), key: key)
        return tile
    }

    /// The markers that stand in the tile.
    func drawn(_ key: TileKey) -> MarkerTile {
        if let known = store.drawn(key), isRight(known, areas: known.value.areas, sources: known.value.sources),
            known.generation == generation || tile(key).stamp == known.value.tile.stamp
        {
            if known.generation != generation {
                store.keep(.init(value: known.value, generation: generation), key: key)
            }
            return known.value
        }
        if isEmpty(key.cells.grown(cells: TileReader.margin)) {
            let tile = emptyTile(key, margin: TileReader.margin)
            let drawn = MarkerTile(markers: [], tile: tile, areas: [tile.area], sources: [])
            store.keep(.init(value: drawn, generation: generation), key: key)
            return drawn
        }
        let (tile, clustering) = found(key)
        var drawing = MarkerDrawing(clustering, reader: self)
        for (index, group) in clustering.groups.enumerated() where key.holds(clustering.unit(of: group)) {
            drawing.add(index)
        }
        let markers = drawing.markers()
        let drawn = MarkerTile(
            markers: markers,
            tile: tile,
            areas: [tile.area] + drawing.areas,
            sources: drawing.sources
        )
        store.keep(.init(value: drawn, generation: generation), key: key)
        return drawn
    }

    /// Whether what was found before holds for this generation too.
    private func isRight<Value>(
        _ known: TileStore.Entry<Value>,
        areas: [CellRegion],
        sources: [ClusterTile.Source]
    ) -> Bool {
        if known.generation == generation { return true }
        guard known.generation < generation else { return false }
        guard !areas.contains(where: { log.hasChanges(in: $0, layers: layers, after: known.generation) }) else {
            return false
        }
        return sources.allSatisfy { tile($0.key).stamp == $0.stamp }
    }

    /// Whether there is any story in some cells.
    private func isEmpty(_ region: CellRegion) -> Bool {
        scope.slices.allSatisfy { !$0.run.hasPoints(in: region, of: $0.range) }
    }

    /// Finds a tile and keeps it.
    private func found(_ key: TileKey) -> (tile: ClusterTile, clustering: Clustering) {
        let core = key.cells
        let (clustering, margin, sources) = clustering(of: core)
        let (cells, markers) = ClusterTile.contents(of: clustering, in: key)
        let known = store.tile(key)
        let isSame = known.map { $0.value.cells == cells && $0.value.markers == markers } ?? false
        let tile = ClusterTile(
            key: key,
            stamp: isSame ? known?.value.stamp ?? 0 : store.newStamp(),
            margin: margin,
            cells: cells,
            markers: markers,
            sources: sources
        )
        store.keep(.init(value: tile, generation: generation), key: key)
        return (tile, clustering)
    }

    /// The markers of some cells of one level, with all that takes part in them.
    ///
    /// `outer` is what is known one zoom further out; where it does not reach, tiles are read.
    func clustering(
        of core: CellRegion,
        outer known: Clustering? = nil
    ) -> (clustering: Clustering, margin: UInt32, sources: [ClusterTile.Source]) {
        let zoom = core.level - CellRegion.levelsPerTile
        var margin = TileReader.margin
        while true {
            var outer = OuterMarkers(reader: self)
            let region = core.grown(cells: margin)
            let clustering = Clustering(scope, region: region, core: core, zoom: zoom) { column, row in
                let marker = known?.marker(column: column, row: row) ?? 0
                return marker != 0 ? marker : outer.marker(zoom: zoom - 1, column: column, row: row)
            }
            if clustering.isComplete { return (clustering, margin, outer.sources) }
            margin *= 2
        }
    }
}

/// The markers of cells, read from tiles when they are asked for.
///
/// Where stories are few, hardly any two are so near to each other that it matters, and nothing is read at all.
private struct OuterMarkers {
    private let reader: TileReader
    private var tiles: [(key: TileKey, markers: [UInt64])] = []
    private(set) var sources: [ClusterTile.Source] = []

    init(reader: TileReader) {
        self.reader = reader
    }

    mutating func marker(zoom: Int, column: UInt32, row: UInt32) -> UInt64 {
        let shift = UInt32(CellRegion.levelsPerTile)
        let key = TileKey(zoom: zoom, column: column >> shift, row: row >> shift)
        let index = tiles.firstIndex { $0.key == key } ?? read(key)
        return tiles[index].markers[Int((row & 15) << 4 | (column & 15))]
    }

    private mutating func read(_ key: TileKey) -> Int {
        let tile = reader.tile(key)
        sources.append(ClusterTile.Source(key: key, stamp: tile.stamp))
        var markers = [UInt64](repeating: 0, count: 256)
        for (cell, marker) in zip(tile.cells, tile.markers) { markers[Int(cell)] = marker }
        tiles.append((key, markers))
        return tiles.count - 1
    }
}
