import Library
import Logging
import ServiceLifecycle
import Web

/// Looks each minute whether the files of the certificate changed, and warns of its end.
struct TLSUpkeep: NamedService {
    let certificates: TLSCertificates
    let library: StoryLibrary
    let logger: Logger

    func run() async throws {
        var known = warn(besides: [])
        for await _ in AsyncTimerSequence(every: .seconds(60)).cancelOnGracefulShutdown() {
            certificates.reload(at: library.now(), logger: logger)
            known = warn(besides: known)
        }
    }

    /// Warns operators; the log gets what is not known yet, which is once a day before the end of a certificate.
    private func warn(besides known: [ReadinessWarning]) -> [ReadinessWarning] {
        let warnings = certificates.warnings(at: library.now())
        for warning in warnings where !known.contains(warning) { logger.warning("\(warning.detail)") }
        library.context.board.set(warnings, of: "tls")
        return warnings
    }
}
