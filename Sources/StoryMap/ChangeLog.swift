import Geometry

/// The positions of the latest changes to the index.
struct ChangeLog: Sendable {
    /// A point that was added, removed or changed in a layer.
    struct Entry: Sendable {
        /// The first generation of the index that includes the change.
        let generation: UInt64
        /// The digest of the layer's name.
        let layer: UInt64
        let unit: MercatorPoint
    }

    private var entries: [Entry] = []
    /// The generation after which the log contains all changes.
    private(set) var start: UInt64

    private static let limit = 4_096

    /// Creates a log that begins at a generation.
    init(since generation: UInt64) {
        start = generation
    }

    /// Appends the points of one generation, dropping the oldest ones if there are too many.
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
            // A generation is kept or dropped as a whole.
            entries.removeAll { $0.generation == start }
        }
        entries += added
    }

    /// Returns whether cells of `region` may have changed in one of the layers after `generation`.
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
