package import Logging
import ServiceLifecycle
import Stories

/// Sends what waits in the outbox, as many at a time as the desk allows; several may run beside each other.
///
/// Attempts of a channel begin in the order of its messages, one after the other, and several at a time where many
/// wait and its end answers well: see ``DeliveryWindow``. What is written, and an attempt that ends, wakes the worker; what falls due by the
/// clock is found at the next beat.
package struct DeliveryWorker: Service {
    let library: StoryLibrary
    let logger: Logger
    /// How long it rests at most.
    let rest: Duration

    /// Creates a worker that looks at the clock every `rest`.
    package init(library: StoryLibrary, logger: Logger, rest: Duration = .milliseconds(200)) {
        self.library = library
        self.logger = logger
        self.rest = rest
    }

    /// Sends until the service ends or the task is cancelled.
    package func run() async throws {
        let (rings, listener) = library.desk.bell.listen()
        await withDiscardingTaskGroup { group in
            group.addTask { [rest] in
                for await _ in AsyncTimerSequence(every: rest).cancelOnGracefulShutdown() { listener.yield() }
                listener.finish()
            }
            for await _ in rings { await send(in: &group) }
            // What is called off waits for the next start.
            library.desk.register.callOff { _ in true }
        }
    }

    private func send(in group: inout DiscardingTaskGroup) async {
        guard library.desk.sender != nil else { return }
        // Answers bring more to send for as long as anything waits: the end of the service does not wait for that.
        while !Task.isCancelled, !Task.isShuttingDownGracefully {
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
