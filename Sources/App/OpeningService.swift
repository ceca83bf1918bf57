import Web
public import Library
public import Hummingbird
public import Logging
import ServiceLifecycle

/// An error while the service opened its database, with the port already open.
public struct OpeningFailure: Error {
    /// The original error.
    public let cause: any Error
}

/// Opens the database while the server already answers, then runs the companion services.
struct OpeningService: NamedService {
    let gate: StartupGate
    let address: PublicAddress
    let options: WaymarkService.Options
    /// The port, once it is open.
    let port: AsyncStream<Int>
    let stop: ServiceStop?
    let logger: Logger
    let open: @Sendable () async throws -> (WaymarkService, PageFiles)
    let onReady: @Sendable (Int) async -> Void

    func run() async throws {
        let (service, page): (WaymarkService, PageFiles)
        do {
            (service, page) = try await open()
        } catch {
            throw OpeningFailure(cause: error)
        }
        service.openEgress(options, at: address)
        gate.open(
            service.buildRouter(options: options, at: address, page: page).buildResponder(),
            endStreams: service.library.live.endAll
        )
        for await port in port {
            stop?.serve()
            await onReady(port)
            break
        }
        let group = ServiceGroup(
            configuration: .init(services: service.companions(options).map { .init(service: $0) }, logger: logger)
        )
        try await withGracefulShutdownHandler {
            try await group.run()
        } onGracefulShutdown: {
            Task { await group.triggerGracefulShutdown() }
        }
    }
}

extension WaymarkService {
    /// Builds an application that listens at once and opens its database meanwhile.
    ///
    /// Until it is open, `/healthz` reports that the process is alive, `/readyz` reports the progress of opening, and
    /// all other requests are answered with the advice to retry. `onReady` receives the port. The pages come from `folders`.
    public static func buildApplication(
        options: Options,
        folders: DataFolders,
        progress: StartupProgress,
        stop: ServiceStop? = nil,
        logger: Logger,
        opening: @escaping @Sendable () async throws -> WaymarkService,
        onReady: @escaping @Sendable (Int) async -> Void
    ) -> some ApplicationProtocol {
        let address = PublicAddress(options: options)
        let gate = StartupGate(progress: progress, rules: options.rules)
        // Reading and compressing the pages takes as long as reading thirty thousand stories: begun at once.
        let page = Task(executorPreference: LongWorkExecutor.shared) {
            PageFiles(folders: folders, mediaOrigins: options.mediaOrigins, embedders: options.embedders)
        }
        let (ports, port) = AsyncStream<Int>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let service = OpeningService(
            gate: gate,
            address: address,
            options: options,
            port: ports,
            stop: stop,
            logger: logger,
            open: { (try await opening(), await page.value) },
            onReady: onReady
        )
        return application(gate, options: options, services: [service], stop: stop, logger: logger) { channel in
            // Services stop one after the other, starting with the server, which waits for open requests. So streams
            // must end when shutdown begins.
            Task {
                try? await gracefulShutdown()
                gate.endStreams()
            }
            let number = channel.localAddress?.port ?? options.port
            address.listens(on: number)
            port.yield(number)
        }
    }
}
