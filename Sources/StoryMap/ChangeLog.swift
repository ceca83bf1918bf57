import Geometry

/// Where the latest changes to the index were.
struct ChangeLog: Sendable {
    /// A point that came, went or changed in a layer.
    struct Entry: Sendable {
        /// The generation of the index that has it.
        let generation: UInt64
        /// The digest of the layer's name.
        let layer: UInt64
        let unit: MercatorPoint
    }

    private var entries: [Entry] = []
    /// Everything since this generation is known.
    private(set) var start: UInt64

    private static let limit = 4_096

    /// A log that begins at a generation.
    init(since generation: UInt64) {
        start = generation
    }

    /// Appends the points of one generation, forgetting the oldest ones when there are too many.
    mutating func append(_ added: [Entry], generation: UInt64) {
        guard added.count <= ChangeLog.limit / 2 else {
            entries = []
            start = generation
            return
        }
        if entries.count + added.count > ChangeLog.limit {
            let dropped = entries.count / 2
            start = entries[dropped].generation
            entries.removeFirst(dropped)
            // All of one generation, or none.
            entries.removeAll { $0.generation == start }
        }
        entries += added
    }

    /// Whether something may have changed in cells of `region`, in one of the layers, after `generation`.
    func hasChanges(in region: CellRegion, layers: Set<UInt64>, after generation: UInt64) -> Bool {
        guard generation >= start else { return true }
        let shift = UInt32(32 - region.level)
        for entry in entries.reversed() {
            guard entry.generation > generation else { return false }
            guard region.contains(column: entry.unit.x >> shift, row: entry.unit.y >> shift) else { continue }
            if layers.contains(entry.layer) { return true }
        }
        return false
    }
}
