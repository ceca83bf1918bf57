import Library
import Foundation
import ServiceLifecycle

/// A service that returns unused memory to the system after a busy period.
///
/// This runs soon after many connections or long bodies have ended, and once a minute.
package struct MemoryUpkeep: Service {
    package let counts: ConnectionCounts

    /// Creates a value from its parts.
    package init(counts: ConnectionCounts) {
        self.counts = counts
    }

    package func run() async throws {
        // Runs off the request threads: it takes a few milliseconds per hundred megabytes.
        let queue = DispatchQueue(label: "waymark.memory", qos: .utility)
        var turn = 0
        for await _ in AsyncTimerSequence(every: .seconds(15)).cancelOnGracefulShutdown() {
            turn += 1
            let isReleased = counts.takeRelease()
            guard isReleased || turn.isMultiple(of: 4) else { continue }
            queue.async { ProcessMemory.giveBack() }
        }
    }
}
