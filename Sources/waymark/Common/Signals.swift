import App
import Foundation
import Logging

/// The signals by which an operator ends a service or has it read its files again.
///
/// They are handled on a queue of their own, so that they work also when every thread for requests is busy.
final class Signals {
    private let sources: [any DispatchSourceSignal]

    /// Handles SIGTERM and SIGINT, of which the second ends the process at once, and SIGHUP.
    init(stop: ServiceStop, logger: Logger, reload: @escaping @Sendable () -> Void) {
        let queue = DispatchQueue(label: "waymark.signals", qos: .userInitiated)
        let ends: [any DispatchSourceSignal] = [SIGTERM, SIGINT]
            .map { number in
                Signals.source(number, on: queue) {
                    guard !stop.begin() else { return }
                    logger.warning("ended at once, as asked; everything acknowledged is stored")
                    _exit(128 + number)
                }
            }
        sources = ends + [Signals.source(SIGHUP, on: queue, reload)]
    }

    private static func source(
        _ number: Int32,
        on queue: DispatchQueue,
        _ body: @escaping @Sendable () -> Void
    ) -> any DispatchSourceSignal {
        // Without this, the system would end the process before the source sees the signal.
        signal(number, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
        source.setEventHandler(handler: body)
        source.resume()
        return source
    }
}

@available(*, unavailable)
extension Signals: Sendable {}
