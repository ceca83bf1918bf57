public import Hummingbird
import Logging
import NIOCore

/// A small HTTP server on a free port of this machine, for one test.
public enum TestListener: Sendable {
    /// Runs `body`, with the port, while the routes of `router` answer; requests that are still open end with it.
    ///
    /// - Parameters:
    ///   - router: what answers.
    ///   - label: what the server is, for its log.
    ///   - body: what is done meanwhile.
    /// - Throws: what `body` throws; what kept the server from listening.
    public static func run(
        _ router: Router<BasicRequestContext>,
        label: String,
        _ body: @escaping @Sendable (_ port: Int) async throws -> Void
    ) async throws {
        let (ports, port) = AsyncStream<Int>.makeStream()
        var logger = Logger(label: label)
        logger.logLevel = .critical
        let application = Application(
            router: router,
            configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { port.yield($0.localAddress?.port ?? 0) },
            logger: logger
        )
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                defer { port.finish() }
                try await application.run()
            }
            var listening: Int?
            for await number in ports {
                listening = number
                break
            }
            do {
                if let listening { try await body(listening) } else { try await group.waitForAll() }
            } catch {
                group.cancelAll()
                throw error
            }
            group.cancelAll()
        }
    }
}
