import Foundation
import ServiceLifecycle

/// Gives memory back to the system that a busy time left behind: soon after many connections or long bodies ended, and
/// once a minute.
struct MemoryUpkeep: Service {
    let counts: ConnectionCounts

    func run() async throws {
        // No thread that answers requests does it: it takes some milliseconds for each hundred megabytes.
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
