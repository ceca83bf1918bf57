import Hummingbird
import HTTPTypes
import Logging
import NIOCore
import Observing
import ServiceLifecycle
import Web

/// Answers `/metrics` without a token on a port that this machine alone reaches.
struct MetricsPort: NamedService {
    let port: Int
    let metrics: ServiceMetrics
    let logger: Logger

    func run() async throws {
        let (counts, limits) = (ConnectionCounts(perAddress: 16), ConnectionLimits())
        let application = Application(
            responder: MetricsResponder(metrics: metrics),
            server: OpenConnections()
                .server { ConnectionGuard(limits: limits, counts: counts, countsAddresses: true) },
            configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: port)),
            logger: logger
        )
        let group = ServiceGroup(configuration: .init(services: [.init(service: application)], logger: logger))
        do {
            try await withGracefulShutdownHandler {
                try await group.run()
            } onGracefulShutdown: {
                Task { await group.triggerGracefulShutdown() }
            }
        } catch {
            // The service is worth more than its numbers.
            logger.error(
                "the metrics are not served; is --metrics-port in use by another program?",
                metadata: ["port": "\(port)", "why": "\(error)"]
            )
            try? await gracefulShutdown()
        }
    }
}

/// The one answer of that port.
struct MetricsResponder: HTTPResponder {
    typealias Context = ServiceContext

    let metrics: ServiceMetrics

    /// The names of this machine; another could be that of a page that a browser here was led to.
    private static let hosts: Set<Substring> = ["127.0.0.1", "localhost"]

    func respond(to request: Request, context: ServiceContext) async throws -> Response {
        let host = (request.head.authority ?? "").prefix { $0 != ":" }
        guard MetricsResponder.hosts.contains(host) else { return Response(status: .misdirectedRequest) }
        guard request.uri.path == "/metrics" else { return Response(status: .notFound) }
        guard request.method == .get else {
            return Response(status: .methodNotAllowed, headers: [.allow: "GET"])
        }
        let text: [UInt8]
        do { text = try await metrics.text() } catch { return Response(status: .serviceUnavailable) }
        return Response(
            status: .ok,
            headers: [.contentType: PrometheusText.mediaType, .cacheControl: "no-store"],
            body: .init(byteBuffer: ByteBuffer(bytes: text))
        )
    }
}
