import Stories
import Synchronization

/// One viewer's filtered view of the map, with its cached tiles.
final class MapView: Sendable {
    /// The digests of the names of the viewer's layers.
    let layers: Set<UInt64>
    let tiles: TileStore
    private let filtered = Mutex<[FilteredSegment]>([])
    private let total: TileStore.Total

    /// The wanted points of one segment; holding the segment prevents its identity from being reused.
    private struct FilteredSegment: Sendable {
        let segment: Segment
        let slices: [Slice]

        var bytes: Int { slices.reduce(0) { $0 + $1.run.bytes } }
    }

    init(layers: Set<UInt64>, bytes: Int, total: TileStore.Total) {
        self.layers = layers
        self.total = total
        tiles = TileStore(bytes: bytes, total: total)
    }

    deinit {
        total.add(-filtered.withLock { $0.reduce(0) { $0 + $1.bytes } })
    }

    /// Returns the wanted points of all segments; those of each segment are computed once.
    func scope(_ query: StoryQuery, segments: [Segment]) -> Scope {
        let whole = Scope(query, segments: segments, isLater: true)
        if whole.isUnfiltered { return whole }
        let known = filtered.withLock { $0 }
        var next: [FilteredSegment] = []
        var slices: [Slice] = []
        for (index, segment) in segments.enumerated() {
            let found =
                known.first { $0.segment === segment }
                ?? FilteredSegment(segment: segment, slices: whole.wanted(ofSegment: index))
            next.append(found)
            slices += found.slices.map { Slice(run: $0.run, range: $0.range, directory: $0.directory, view: index) }
        }
        let bytes = next.reduce(0) { $0 + $1.bytes }
        filtered.withLock { [next] filtered in
            total.add(bytes - filtered.reduce(0) { $0 + $1.bytes })
            filtered = next
        }
        return whole.narrowed(to: slices)
    }
}

/// The most recently requested views of the map.
final class ViewStore: Sendable {
    private struct Key: Hashable, Sendable {
        let layers: [VisibilityLayer]
        let query: StoryQuery
    }

    private struct State: Sendable {
        var young: [Key: MapView] = [:]
        var old: [Key: MapView] = [:]
    }

    private let key: DigestKey
    private let state = Mutex(State())

    /// The combined size of the tiles and wanted points of all views.
    private let total = TileStore.Total()

    /// The maximum number of views.
    private static let limit = 64
    /// The memory limit for the tiles of one view, and for all views together.
    private static let bytes = 192 << 20
    private static let totalBytes = 256 << 20

    init(key: DigestKey) {
        self.key = key
    }

    /// The size of the tiles and wanted points of all views, in bytes.
    var keptBytes: Int { total.bytes }

    /// Returns the view of a query: a cached one or a new one.
    func view(of query: StoryQuery) -> MapView {
        let layers = query.viewer.layers
        func made(bytes: Int) -> MapView {
            MapView(layers: Set(layers.map { key.digest(of: $0) }), bytes: bytes, total: total)
        }
        guard query.except.count <= 64 else { return made(bytes: 4 << 20) }
        let name = Key(layers: layers, query: query)
        return state.withLock { state in
            // The least recently used views are evicted first, then everything except the requested one.
            if total.bytes > ViewStore.totalBytes { state.old = [:] }
            if total.bytes > ViewStore.totalBytes { state.young = state.young.filter { $0.key == name } }
            if let view = state.young[name] { return view }
            let view = state.old[name] ?? made(bytes: ViewStore.bytes)
            state.young[name] = view
            if state.young.count > ViewStore.limit / 2 {
                state.old = state.young
                state.young = [:]
            }
            return view
        }
    }
}
