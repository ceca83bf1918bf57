/// The bytes that the arrays of the index take.
public struct MapMemory: Hashable, Sendable {
    /// What unfiltered clusters and counts are found with: points, sums, rows and directories.
    public internal(set) var points = 0
    /// Stories, layers, facets and dates: all the rest but the texts.
    public internal(set) var stories = 0
    /// Titles and dates as written.
    public internal(set) var texts = 0
    /// What is kept of the tiles of views that were asked for, estimated.
    public internal(set) var tiles = 0
}

extension MapSnapshot {
    /// What the index takes.
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
    /// The bytes of the elements, without what they refer to.
    var bytes: Int { count * MemoryLayout<Element>.stride }
}
