package import Logging
import ServiceLifecycle

/// Looks up the addresses to which sign-in e-mails were asked for, and enqueues the e-mails.
package struct SignInMailing: Service {
    private let library: StoryLibrary
    private let logger: Logger

    /// Creates the loop of a library.
    package init(library: StoryLibrary, logger: Logger) {
        self.library = library
        self.logger = logger
    }

    package func run() async throws {
        for await address in library.signIns.mails.addresses.cancelOnGracefulShutdown() {
            do {
                try await library.signIns.mail(to: address)
            } catch {
                // The error names no address: it comes from the database.
                logger.error("a sign-in e-mail could not be enqueued", metadata: ["error": "\(error)"])
            }
        }
        // Returning before the end would end the other services too.
        try await gracefulShutdown()
    }
}
