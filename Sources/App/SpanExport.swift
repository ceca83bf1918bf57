import Library
package import Logging
import ServiceLifecycle

/// Sends finished spans to the operator's collector each second, and what is left at the end.
package struct SpanExport: NamedService {
    private let collector: SpanCollector
    private let logger: Logger
    /// The time between two rounds.
    private let interval: Duration
    /// The time for what is left at the end; the service must end within three seconds after its last connection.
    private static let endLimit = Duration.seconds(2)

    /// Creates the service.
    package init(collector: SpanCollector, logger: Logger, interval: Duration = .seconds(1)) {
        (self.collector, self.logger, self.interval) = (collector, logger, interval)
    }

    package func run() async throws {
        var known = SpanCollector.Outcome.taken
        for await _ in AsyncTimerSequence(every: interval).cancelOnGracefulShutdown() {
            // A request that is cut here is made again below.
            let outcome = await cancelWhenGracefulShutdown { await collector.round() }
            guard let outcome else { continue }
            if !Task.isShuttingDownGracefully { report(outcome, after: known) }
            known = outcome
        }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { _ = await collector.sendWaiting() }
            group.addTask { try? await Task.sleep(for: SpanExport.endLimit) }
            await group.next()
            group.cancelAll()
        }
        let rest = collector.giveUp()
        if rest > 0 { logger.warning("spans were not delivered before the end", metadata: ["count": "\(rest)"]) }
    }

    /// Notes once that the collector is away or does not want spans, and once that it takes them again.
    private func report(_ outcome: SpanCollector.Outcome, after known: SpanCollector.Outcome) {
        switch (known, outcome) {
        case (.taken, .away(let why)):
            logger.warning("the collector of spans is away; it is tried again", metadata: ["why": "\(why)"])
        case (.taken, .refused(let why)), (.away, .refused(let why)):
            logger.warning("the collector of spans refuses them; they are dropped", metadata: ["why": "\(why)"])
        case (.away, .taken), (.refused, .taken): logger.info("the collector of spans takes them again")
        case (.taken, .taken), (.away, .away), (.refused, .refused), (.refused, .away): break
        }
    }
}
