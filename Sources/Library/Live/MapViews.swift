import Synchronization

/// What parts of the map look like, as digests, so that those who look at the same are counted once.
///
/// Where there are too many, those go first of whoever looked at most: nobody drives out what others look at.
package final class MapViews: Sendable {
    package static let most = 4_096

    private struct State: Sendable {
        var known: [[UInt8]: [UInt8]] = [:]
        /// Who looked at what first, the earliest first.
        var keys: [LiveOwner.Holder: [[UInt8]]] = [:]
    }

    private let state = Mutex(State())

    /// Creates one that knows nothing.
    package init() {}

    func startAnew() { state.withLock { $0 = State() } }

    /// The digest that is kept under a key, if any.
    package func digest(under key: [UInt8]) -> [UInt8]? { state.withLock { $0.known[key] } }

    /// Whether a digest is kept under a key.
    package func holds(_ key: [UInt8]) -> Bool { state.withLock { $0.known[key] != nil } }

    /// Keeps a digest under a key that `holder` asked for.
    package func keep(_ digest: [UInt8], of key: [UInt8], for holder: LiveOwner.Holder) {
        state.withLock { state in
            guard state.known.updateValue(digest, forKey: key) == nil else { return }
            state.keys[holder, default: []].append(key)
            guard state.known.count > MapViews.most, let first = state.keys.max(by: { $0.value.count < $1.value.count })
            else { return }
            // A part at a time: whoever overflows it does not make it search for the fullest at every step.
            let dropped = first.value.prefix(max(1, first.value.count / 4))
            for key in dropped { state.known[key] = nil }
            state.keys[first.key]?.removeFirst(dropped.count)
        }
    }
}
