import Logging
import ServiceLifecycle
import Stories

/// Sends what waits in the outbox, as many at a time as the desk allows; several may run beside each other.
struct DeliveryWorker: Service {
    let library: StoryLibrary
    let logger: Logger
    /// How long it rests when there is nothing to do.
    var rest = Duration.milliseconds(200)

    func run() async throws {
        await withDiscardingTaskGroup { group in
            for await _ in AsyncTimerSequence(every: rest).cancelOnGracefulShutdown() {
                await send(in: &group)
            }
            // What is called off waits for the next start.
            library.desk.register.callOff { _ in true }
        }
    }

    private func send(in group: inout DiscardingTaskGroup) async {
        guard library.desk.sender != nil else { return }
        while !Task.isCancelled {
            let free = library.desk.room(at: library.clock.lasting)
            do {
                let claims = try await library.claimDeliveries(
                    working: min(free.working, 64),
                    failing: min(free.failing, 16)
                )
                for claim in claims { library.begin(claim, in: &group) }
                if claims.isEmpty { return }
            } catch {
                logger.error("outbox worker failed", metadata: ["error": "\(error)"])
                return
            }
        }
    }
}

extension StoryLibrary {
    /// Begins an attempt as a task of its own that can be called off.
    func begin(_ claim: DeliveryClaim, in group: inout DiscardingTaskGroup) {
        let task = Task { await deliver(claim) }
        desk.register.run(claim.attempt, task)
        group.addTask { await task.value }
    }

    /// Sends everything that is due, one round after the other, until nothing is; returns how many attempts were made.
    ///
    /// For commands that do not run the service.
    @discardableResult
    public func deliverDue() async throws -> Int {
        var count = 0
        while desk.sender != nil {
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
