import Synchronization

/// The tiles that one view of the map has been asked for, as many as there is room for.
///
/// Tiles are kept in two halves: what is used moves into the young one, and when that is full the old one is dropped.
final class TileStore: Sendable {
    /// A tile and the generation of the index that it was last found to be right for.
    struct Entry: Sendable {
        let tile: ClusterTile
        let generation: UInt64
    }

    private struct State: Sendable {
        var young: [TileKey: Entry] = [:]
        var old: [TileKey: Entry] = [:]
        var cost = 0
        var nextStamp: UInt64 = 1
    }

    private let state = Mutex(State())
    private let limit: Int

    /// Creates a store of about `bytes` bytes.
    init(bytes: Int) {
        limit = max(1, bytes / 2)
    }

    /// The tiles with some keys, whatever generation they are of.
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

    /// So many stamps that no contents have had; the first of them.
    func newStamps(_ count: Int) -> UInt64 {
        state.withLock { state in
            defer { state.nextStamp += UInt64(count) }
            return state.nextStamp
        }
    }

    /// Keeps tiles that are right for a generation, unless there are some of a later one.
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
        state.cost += TileStore.cost(entry.tile) - (known.map { TileStore.cost($0.tile) } ?? 0)
        guard state.cost > limit else { return }
        state.old = state.young
        state.young = [:]
        state.cost = 0
    }

    /// The bytes of a tile: three objects and their headers, its place in the dictionary, and its contents.
    private static func cost(_ tile: ClusterTile) -> Int {
        240 + 9 * tile.cells.count + MemoryLayout<Marker>.stride * (tile.markers?.count ?? 0)
    }
}
