import Synchronization

/// The number of open connections from each address.
package final class ConnectionCounts: Sendable {
    private struct State: Sendable {
        var open: [String: Int] = [:]
        var closed = 0
        var bodyBytes = 0
    }

    /// The numbers of ended connections and of received body bytes after which releasing memory is worthwhile; see
    /// ``takeRelease()``.
    private static let manyClosed = 200
    private static let manyBytes = 64 << 20

    private let perAddress: Int
    private let state = Mutex(State())

    /// Creates counts; at least one connection per address is accepted.
    package init(perAddress: Int) { self.perAddress = max(1, perAddress) }

    /// Counts a new connection; returns `false`, without counting it, if it exceeds the limit.
    package func open(from address: String) -> Bool {
        state.withLock { state in
            let count = state.open[address, default: 0]
            guard count < perAddress else { return false }
            state.open[address] = count + 1
            return true
        }
    }

    /// Removes an accepted connection from its count.
    package func close(from address: String) {
        state.withLock { state in
            let left = state.open[address, default: 1] - 1
            state.open[address] = left == 0 ? nil : left
        }
    }

    /// Records the end of a connection and the size of the bodies it received.
    package func noteEnd(bodyBytes: Int) {
        state.withLock { state in
            state.closed += 1
            state.bodyBytes += bodyBytes
        }
    }

    /// Returns whether enough connections have ended, or enough bytes of bodies were received, to make releasing memory
    /// worthwhile; if so, counts again from zero.
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
