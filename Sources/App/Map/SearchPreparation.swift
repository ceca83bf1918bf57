import Logging
import ServiceLifecycle

/// Makes the index of texts when the service starts, so that the first search need not go through all of them.
struct SearchPreparation: Service {
    let maps: MapService
    let logger: Logger

    func run() async throws {
        do {
            try await maps.textSearch.prepare()
        } catch {
            // Searches go to the database then, and the next one tries again.
            logger.warning("The texts could not be indexed.")
        }
        // A service that ends would end the others.
        try await gracefulShutdown()
    }
}
