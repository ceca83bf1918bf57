import Synchronization

/// A cache of the tiles requested by one view of the map, within a memory limit.
///
/// Tiles are stored in two generations: a used tile moves to the young one, and when that is full, the old one is
/// dropped.
final class TileStore: Sendable {
    /// A tile and the latest index generation it was validated for.
    struct Entry: Sendable {
        let tile: ClusterTile
        let generation: UInt64
    }

    private struct State: Sendable {
        var young: [TileKey: Entry] = [:]
        var old: [TileKey: Entry] = [:]
        /// The cost in bytes of the young tiles; ``oldCost`` is that of the old ones.
        var cost = 0
        var oldCost = 0
        var nextStamp: UInt64 = 1
    }

    /// The combined size of several stores.
    final class Total: Sendable {
        private let sum = Atomic(0)

        /// The approximate size in bytes.
        var bytes: Int { sum.load(ordering: .relaxed) }

        func add(_ bytes: Int) { sum.wrappingAdd(bytes, ordering: .relaxed) }
    }

    private let state = Mutex(State())
    private let limit: Int
    private let total: Total

    /// Creates a store of about `bytes` bytes that contributes to a total.
    init(bytes: Int, total: Total) {
        limit = max(1, bytes / 2)
        self.total = total
    }

    deinit {
        total.add(-state.withLock { $0.cost + $0.oldCost })
    }

    /// Returns the cached tiles with the given keys, whatever index generation they are valid for.
    func entries(_ keys: [TileKey]) -> [Entry?] {
        state.withLock { state in
            keys.map { key in
                if let entry = state.young[key] { return entry }
                guard let entry = state.old[key] else { return nil }
                keep(entry, key: key, in: &state)
                return entry
            }
        }
    }

    /// Reserves a number of unused stamps and returns the first.
    func newStamps(_ count: Int) -> UInt64 {
        state.withLock { state in
            defer { state.nextStamp += UInt64(count) }
            return state.nextStamp
        }
    }

    /// Stores tiles that are valid for an index generation, unless tiles of a later generation are stored.
    func keep(_ tiles: [(key: TileKey, tile: ClusterTile)], generation: UInt64) {
        state.withLock { state in
            for (key, tile) in tiles {
                if let known = state.young[key], known.generation > generation { continue }
                keep(Entry(tile: tile, generation: generation), key: key, in: &state)
            }
        }
    }

    private func keep(_ entry: Entry, key: TileKey, in state: inout State) {
        let known = state.young.updateValue(entry, forKey: key)
        let growth = TileStore.cost(entry.tile) - (known.map { TileStore.cost($0.tile) } ?? 0)
        state.cost += growth
        total.add(growth)
        guard state.cost > limit else { return }
        total.add(-state.oldCost)
        (state.old, state.oldCost) = (state.young, state.cost)
        (state.young, state.cost) = ([:], 0)
    }

    /// Returns the size of a tile in bytes: three objects and their headers, its dictionary entry, and its contents.
    private static func cost(_ tile: ClusterTile) -> Int {
        // A marker has its own texts, and takes about 300 bytes once rendered.
        240 + 9 * tile.cells.count + (MemoryLayout<Marker>.stride + 350) * (tile.markers?.count ?? 0)
    }
}
