import Hummingbird
import Logging

/// The routes of an application without what runs beside them: timers that beat in real time, on a busy machine between
/// any two requests, would make tests with a clock of their own a matter of luck.
struct RoutesAlone<Whole: ApplicationProtocol>: ApplicationProtocol {
    let application: Whole
    let logger: Logger

    var responder: Whole.Responder { get async throws { try await application.responder } }

    func run() async throws { try await application.run() }
}
