import Foundation
public import Hummingbird
public import Logging
import ServiceLifecycle
import Synchronization
import Web

/// Ends a running service: politely when asked, and by force when its time is over.
///
/// At first no connections are accepted, streams end with a hint when to come back, and requests under way finish. After
/// ``limit``, connections that are still open are cut: slow exports and bodies that do not arrive. If even that does not
/// end the service, the process ends. Everything acknowledged is on the disk at all times, so force loses nothing.
///
/// It works on a queue of its own, so that it works also when every thread for requests is busy.
public final class ServiceStop: Sendable {
    private enum Phase: Sendable {
        /// The database is being opened.
        case starting
        /// Requests are served.
        case serving
        case stopping
    }

    private struct State: Sendable {
        var phase = Phase.starting
        /// Asks the services to end.
        var finish: @Sendable () -> Void = {}
    }

    /// The time for requests under way.
    public let limit: Duration
    let connections = OpenConnections()
    private let logger: Logger
    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "waymark.stop", qos: .userInitiated)
    /// How long the services may take to end after the last connection was cut.
    private static let rest = 3.0
    /// Ends the process at once.
    private let end: @Sendable () -> Void

    /// Creates the end of a service; `end` ends the process without delay and with success.
    public init(within limit: Duration, logger: Logger, end: @escaping @Sendable () -> Void) {
        self.limit = limit
        self.logger = logger
        self.end = end
    }

    /// Begins to end the service; returns whether this is the first call, since only that one does something.
    @discardableResult
    public func begin() -> Bool {
        let old = state.withLock { state in
            defer { state.phase = .stopping }
            return state
        }
        switch old.phase {
        case .stopping: return false
        case .starting:
            // Nothing is served yet, and opening a large database takes long.
            logger.info("stopped while starting")
            end()
        case .serving:
            let seconds = Double(limit.components.seconds) + Double(limit.components.attoseconds) / 1e18
            logger.info("stopping", metadata: ["connections": "\(connections.count)", "within": "\(seconds) s"])
            old.finish()
            queue.asyncAfter(deadline: .now() + seconds) { [self] in
                logger.warning(
                    "the time to stop is over; open requests are cut",
                    metadata: ["connections": "\(connections.count)"]
                )
                connections.cutAll()
                queue.asyncAfter(deadline: .now() + ServiceStop.rest) { [self] in
                    logger.warning("ended without waiting for the rest; everything acknowledged is stored")
                    end()
                }
            }
        }
        return true
    }

    /// Notes that requests are served from now on.
    func serve() {
        state.withLock { state in
            if case .starting = state.phase { state.phase = .serving }
        }
    }

    /// Sets how the services are asked to end.
    fileprivate func finish(by finish: @escaping @Sendable () -> Void) { state.withLock { $0.finish = finish } }
}

extension WaymarkService {
    /// Runs an application until `stop` ends it; no signal does.
    ///
    /// The server must not be asked to end before it runs: it would drop the open port, for which NIO ends the process.
    public static func run(
        _ application: some ApplicationProtocol,
        until stop: ServiceStop,
        logger: Logger
    ) async throws {
        let group = ServiceGroup(
            configuration: .init(services: [.init(service: application)], gracefulShutdownSignals: [], logger: logger)
        )
        stop.finish(by: { Task { await group.triggerGracefulShutdown() } })
        try await group.run()
    }
}
