package import Logging
import ServiceLifecycle
import Storage

/// Enqueues due digests each minute, announces expired invitations, and forgets old deliveries daily.
package struct DigestRounds: Service {
    package let delivery: DeliveryService
    package let invitations: InvitationService
    package let logger: Logger

    /// Creates a value from its parts.
    package init(delivery: DeliveryService, invitations: InvitationService, logger: Logger) {
        self.delivery = delivery
        self.invitations = invitations
        self.logger = logger
    }

    package func run() async throws {
        var daily = DailyWork([.init("deliveries") { [delivery] in try await delivery.forgetDeliveries() }])
        for await _ in AsyncTimerSequence(every: .seconds(60)).cancelOnGracefulShutdown() {
            do {
                _ = try await delivery.digests.writeDigests()
                _ = try await invitations.announceExpired()
            } catch {
                logger.error("digests failed", metadata: ["error": "\(error)"])
            }
            for failure in await daily.run(at: delivery.now()) {
                logger.error("digests failed", metadata: ["part": "\(failure.part)", "error": "\(failure.error)"])
            }
        }
    }
}
