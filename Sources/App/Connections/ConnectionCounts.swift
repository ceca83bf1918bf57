import Synchronization

/// How many connections are open from each address.
package final class ConnectionCounts: Sendable {
    private struct State: Sendable {
        var open: [String: Int] = [:]
        var closed = 0
        var bodyBytes = 0
    }

    /// Connections and bytes after whose end memory is worth giving back, see ``takeRelease()``.
    private static let manyClosed = 200
    private static let manyBytes = 64 << 20

    private let perAddress: Int
    private let state = Mutex(State())

    /// Creates counts; at least one connection from an address is let in.
    package init(perAddress: Int) { self.perAddress = max(1, perAddress) }

    /// Counts a connection that was opened; `false` when it is one too many and is not counted.
    package func open(from address: String) -> Bool {
        state.withLock { state in
            let count = state.open[address, default: 0]
            guard count < perAddress else { return false }
            state.open[address] = count + 1
            return true
        }
    }

    /// Takes back the count of a connection that was let in.
    package func close(from address: String) {
        state.withLock { state in
            let left = state.open[address, default: 1] - 1
            state.open[address] = left == 0 ? nil : left
        }
    }

    /// Notes that a connection ended over which bodies of so many bytes came.
    package func noteEnd(bodyBytes: Int) {
        state.withLock { state in
            state.closed += 1
            state.bodyBytes += bodyBytes
        }
    }

    /// Whether so much ended since this was last true that the memory of it is worth giving back.
    package func takeRelease() -> Bool {
        state.withLock { state in
            guard state.closed >= ConnectionCounts.manyClosed || state.bodyBytes >= ConnectionCounts.manyBytes else {
                return false
            }
            (state.closed, state.bodyBytes) = (0, 0)
            return true
        }
    }
}
