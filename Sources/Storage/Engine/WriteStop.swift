import Logging
import Synchronization

/// Whether writing has stopped, because the disk failed in a way after which nobody knows what it holds.
///
/// After a failed `fsync` the system can forget what it could not write and report success the next time. So nothing
/// more is acknowledged: the next opening reads what the disk has and goes on from there.
final class WriteStop: Sendable {
    private let reason = Mutex<StoreError?>(nil)
    private let logger: Logger
    private let path: String

    init(path: String, logger: Logger) {
        self.path = path
        self.logger = logger
    }

    /// Why nothing is written any more; `nil` as long as all is well.
    var error: StoreError? { reason.withLock { $0 } }

    /// Stops writing for good, and says so in the log the first time.
    func stop(_ cause: any Error) -> StoreError {
        let error = StoreError(
            .stopped,
            "The disk of \(path) failed (\(cause)). Nothing more is written, so that nothing is acknowledged that could "
                + "be lost. Check the disk, then start the service again: what was being stored is then there or not."
        )
        return reason.withLock { reason in
            if let reason { return reason }
            logger.critical("writing has stopped", metadata: ["why": "\(error)"])
            reason = error
            return error
        }
    }
}
