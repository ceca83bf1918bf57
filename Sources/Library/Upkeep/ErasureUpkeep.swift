package import Logging
import ServiceLifecycle
import Storage
import Stories

/// Every minute, ends exports that are not being fetched, finishes interrupted erasures and overwrites their remains,
/// deletes old fixes and accesses, and warns of a long log or a lack of disk space.
package struct ErasureUpkeep: Service {
    private let library: StoryLibrary
    private let logger: Logger

    /// Creates the upkeep of a library.
    package init(library: StoryLibrary, logger: Logger) {
        self.library = library
        self.logger = logger
    }

    package func run() async throws {
        for await _ in AsyncTimerSequence(every: .seconds(60)).cancelOnGracefulShutdown() {
            do {
                try await keepUp()
            } catch {
                logger.error("upkeep of erasures failed", metadata: ["error": "\(error)"])
            }
            warnOfLongLog()
            if let shortage = library.store.diskShortage {
                logger.warning("\(ReadinessWarning.shortage(shortage).detail)")
            }
        }
    }

    private func warnOfLongLog() {
        let size = library.store.logSize
        guard size > ReadinessWarning.longLogBytes else { return }
        let warning = ReadinessWarning.longLog(bytes: size)
        logger.warning("\(warning.detail)", metadata: ["megabytes": "\(size >> 20)"])
    }
}

extension ErasureUpkeep {
    /// Runs one round.
    package func keepUp() async throws {
        let store = library.store
        library.rights.exports.dropStalled(at: library.clock.lasting)
        store.refillReserve()
        try await library.rights.erasures.finishErasures()
        try await library.fences.dropOldFixes()
        _ = try await store.sweep()
        let oldest = Int(library.context.certainTime.milliseconds / 86_400_000) - AccessLog.keptDays
        if try await store.read({ try $0.hasAccesses(before: oldest) }) {
            _ = try await store.write(isUrgent: true) { try $0.dropAccesses(before: oldest) }
        }
    }
}
