package import Logging
import ServiceLifecycle

/// Builds the index of texts when the service starts, so that the first search need not read all of them.
package struct SearchPreparation: Service {
    package let maps: MapService
    package let logger: Logger

    /// Creates a value from its parts.
    package init(maps: MapService, logger: Logger) {
        self.maps = maps
        self.logger = logger
    }

    package func run() async throws {
        do {
            try await maps.textSearch.prepare()
        } catch {
            // Searches then use the database, and the next search tries to build the index again.
            logger.warning("the texts could not be indexed; searches use the database until indexing succeeds")
        }
        // Returning now would end the other services too.
        try await gracefulShutdown()
    }
}
