import Synchronization

/// Digests of parts of the map, so that a part viewed by several clients is evaluated only once.
///
/// If there are too many, those of the holder with the most are dropped first, so that no holder displaces others.
package final class MapViews: Sendable {
    /// The maximum number of digests.
    package static let most = 4_096

    private struct State: Sendable {
        var known: [[UInt8]: [UInt8]] = [:]
        /// The keys that each holder was the first to use, oldest first.
        var keys: [LiveOwner.Holder: [[UInt8]]] = [:]
    }

    private let state = Mutex(State())

    /// Creates an empty collection of digests.
    package init() {}

    /// Removes all digests.
    func startAnew() { state.withLock { $0 = State() } }

    /// Returns the digest kept under a key, if any.
    package func digest(under key: [UInt8]) -> [UInt8]? { state.withLock { $0.known[key] } }

    /// The number of holders with digests.
    package var holderCount: Int { state.withLock { $0.keys.count } }

    /// Returns whether a digest is kept under a key.
    package func holds(_ key: [UInt8]) -> Bool { state.withLock { $0.known[key] != nil } }

    /// Keeps a digest under a key used by `holder`.
    package func keep(_ digest: [UInt8], of key: [UInt8], for holder: LiveOwner.Holder) {
        state.withLock { state in
            guard state.known.updateValue(digest, forKey: key) == nil else { return }
            state.keys[holder, default: []].append(key)
            guard state.known.count > MapViews.most, let first = state.keys.max(by: { $0.value.count < $1.value.count })
            else { return }
            // Several are dropped at once, so that not every further digest requires a search for the largest holder.
            let dropped = first.value.prefix(max(1, first.value.count / 4))
            for key in dropped { state.known[key] = nil }
            let rest = Array(first.value.dropFirst(dropped.count))
            state.keys[first.key] = rest.isEmpty ? nil : rest
        }
    }
}
