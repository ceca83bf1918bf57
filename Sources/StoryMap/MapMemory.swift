/// The memory used by the arrays of the index, in bytes.
public struct MapMemory: Hashable, Sendable {
    /// Data for unfiltered clusters and counts: points, sums, rows and directories.
    public internal(set) var points = 0
    /// Stories, layers, facets and dates: everything else except texts.
    public internal(set) var stories = 0
    /// Titles and dates as entered.
    public internal(set) var texts = 0
    /// Cached tiles of requested views, estimated.
    public internal(set) var tiles = 0
}

extension MapSnapshot {
    /// The memory used by the index.
    public var memory: MapMemory {
        var memory = MapMemory()
        for segment in segments {
            memory.points += segment.run.bytes + segment.layers.reduce(0) { $0 + ($1.directory?.bytes ?? 0) }
            memory.texts += segment.labels.bytes + segment.labelStarts.bytes
            memory.stories += segment.bytes
        }
        memory.tiles = views.keptBytes
        return memory
    }
}

extension Array {
    /// The size of the elements in bytes, without referenced memory.
    var bytes: Int { count * MemoryLayout<Element>.stride }
}
