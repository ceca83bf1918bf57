import Logging
import ServiceLifecycle
import Storage
import Stories

/// Ends exports that nobody fetches, finishes what erasures left to be overwritten, and forgets accesses that are half a year old.
struct ErasureUpkeep: Service {
    let library: StoryLibrary
    let logger: Logger

    func run() async throws {
        for await _ in AsyncTimerSequence(every: .seconds(60)).cancelOnGracefulShutdown() {
            do {
                try await library.keepUpErasures()
            } catch {
                logger.error("upkeep of erasures failed", metadata: ["error": "\(error)"])
            }
        }
    }
}

extension StoryLibrary {
    /// One round of ``ErasureUpkeep``.
    package func keepUpErasures() async throws {
        exports.dropStalled(at: clock.lasting)
        store.refillReserve()
        try await dropOldFixes()
        _ = try await store.sweep()
        let oldest = Int(certainTime.milliseconds / 86_400_000) - StoryLibrary.accessDays
        if try await store.read({ try $0.hasAccesses(before: oldest) }) {
            _ = try await store.write { try $0.dropAccesses(before: oldest) }
        }
    }
}
