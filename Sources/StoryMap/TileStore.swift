import Synchronization

/// The tiles that one view of the map has been asked for, as many as there is room for.
///
/// Tiles are kept in two halves: what is used moves into the young one, and when that is full the old one is dropped.
final class TileStore: Sendable {
    /// A value and the generation of the index that it was last found to be right for.
    struct Entry<Value: Sendable>: Sendable {
        let value: Value
        let generation: UInt64
    }

    private struct Half: Sendable {
        var tiles: [TileKey: Entry<ClusterTile>] = [:]
        var drawn: [TileKey: Entry<MarkerTile>] = [:]
        var cost = 0
    }

    private struct State: Sendable {
        var young = Half()
        var old = Half()
        var nextStamp: UInt64 = 1
    }

    private let state = Mutex(State())
    private let limit: Int

    /// Creates a store of about `bytes` bytes.
    init(bytes: Int) {
        limit = max(1, bytes / 2)
    }

    /// The tile, whatever generation it is of.
    func tile(_ key: TileKey) -> Entry<ClusterTile>? {
        state.withLock { state in
            if let entry = state.young.tiles[key] { return entry }
            guard let entry = state.old.tiles[key] else { return nil }
            keep(entry, key: key, in: &state)
            return entry
        }
    }

    /// The markers of a tile, whatever generation they are of.
    func drawn(_ key: TileKey) -> Entry<MarkerTile>? {
        state.withLock { state in
            if let entry = state.young.drawn[key] { return entry }
            guard let entry = state.old.drawn[key] else { return nil }
            keep(entry, key: key, in: &state)
            return entry
        }
    }

    /// A stamp that no contents have had.
    func newStamp() -> UInt64 {
        state.withLock { state in
            state.nextStamp += 1
            return state.nextStamp
        }
    }

    /// Keeps a tile, unless there is one of a later generation.
    func keep(_ entry: Entry<ClusterTile>, key: TileKey) {
        state.withLock { state in
            if let known = state.young.tiles[key], known.generation > entry.generation { return }
            keep(entry, key: key, in: &state)
        }
    }

    /// Keeps the markers of a tile, unless there are some of a later generation.
    func keep(_ entry: Entry<MarkerTile>, key: TileKey) {
        state.withLock { state in
            if let known = state.young.drawn[key], known.generation > entry.generation { return }
            keep(entry, key: key, in: &state)
        }
    }

    private func keep(_ entry: Entry<ClusterTile>, key: TileKey, in state: inout State) {
        if state.young.tiles.updateValue(entry, forKey: key) == nil {
            state.young.cost += 200 + 9 * entry.value.cells.count
        }
        turn(&state)
    }

    private func keep(_ entry: Entry<MarkerTile>, key: TileKey, in state: inout State) {
        if state.young.drawn.updateValue(entry, forKey: key) == nil {
            state.young.cost += 200 + MemoryLayout<Marker>.stride * entry.value.markers.count
        }
        turn(&state)
    }

    private func turn(_ state: inout State) {
        guard state.young.cost > limit else { return }
        state.old = state.young
        state.young = Half()
    }
}
