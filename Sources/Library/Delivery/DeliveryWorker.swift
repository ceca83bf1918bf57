package import Logging
import ServiceLifecycle

/// Sends due entries of the outbox, within ``DeliveryState/Limits``; several workers may run at a time.
///
/// Attempts of a channel begin in the order of its messages: one after the other, or several at a time if many wait and
/// its endpoint answers well; see ``DeliveryWindow``. New entries and attempts that end wake the worker. Entries that
/// become due by the clock are found at the next regular check.
package struct DeliveryWorker: Service {
    package let delivery: DeliveryService
    package let logger: Logger
    /// The time between regular checks.
    package let rest: Duration

    /// Creates a worker that checks for due entries every `rest`.
    package init(delivery: DeliveryService, logger: Logger, rest: Duration = .milliseconds(200)) {
        self.delivery = delivery
        self.logger = logger
        self.rest = rest
    }

    /// Sends until the service ends or the task is cancelled.
    package func run() async throws {
        let (rings, listener) = delivery.state.bell.listen()
        await withDiscardingTaskGroup { group in
            group.addTask { [rest] in
                for await _ in AsyncTimerSequence(every: rest).cancelOnGracefulShutdown() { listener.yield() }
                listener.finish()
            }
            for await _ in rings { await send(in: &group) }
            // The entries of the attempts called off here wait for the next start.
            delivery.state.register.callOff { _ in true }
        }
        do { try await delivery.state.unstored.store(in: delivery.store) } catch {
            logger.error("outcomes of deliveries were not stored; their messages may be sent again")
        }
    }

    private func send(in group: inout DiscardingTaskGroup) async {
        guard delivery.egress.sender != nil else { return }
        // While entries wait, each answer makes room for more; shutdown must not wait until none are left.
        while !Task.isCancelled, !Task.isShuttingDownGracefully {
            let free = delivery.state.room(at: delivery.context.clock.lasting)
            do {
                let claims = try await delivery.claimDeliveries(
                    working: min(free.working, 64),
                    failing: min(free.failing, 16)
                )
                for claim in claims { delivery.begin(claim, in: &group) }
                if claims.isEmpty { return }
            } catch {
                logger.error("outbox worker failed", metadata: ["error": "\(error)"])
                return
            }
        }
    }
}

extension DeliveryService {
    /// Begins an attempt in its own task, which can be called off.
    package func begin(_ claim: DeliveryClaim, in group: inout DiscardingTaskGroup) {
        let task = Task { await deliver(claim) }
        state.register.run(claim.attempt, task)
        group.addTask { await task.value }
    }

    /// Sends all due entries, round by round, until none is left; returns the number of attempts.
    @discardableResult
    package func deliverDue() async throws -> Int {
        var count = 0
        while egress.sender != nil {
            let claims = try await claimDeliveries(working: 64, failing: 64)
            if claims.isEmpty { break }
            count += claims.count
            await withDiscardingTaskGroup { group in
                for claim in claims { begin(claim, in: &group) }
            }
        }
        return count
    }
}
