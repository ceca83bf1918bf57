import Logging
import Synchronization

/// Stops all writing once the disk has failed in a way that leaves its content unknown, or once the files of the database
/// are no longer the ones that were opened.
///
/// After a failed `fsync` the system may discard what it could not write and report success the next time. So nothing
/// more is acknowledged: the next opening reads the actual content of the disk and continues from there.
final class WriteStop: Sendable {
    private let reason = Mutex<StoreError?>(nil)
    private let logger: Logger
    private let path: String

    init(path: String, logger: Logger) {
        self.path = path
        self.logger = logger
    }

    /// The reason why writing has stopped; `nil` while all is well.
    var error: StoreError? { reason.withLock { $0 } }

    /// Stops writing for good and logs it the first time.
    func stop(_ cause: any Error) -> StoreError {
        stop(
            saying: "The disk of \(path) failed (\(cause)). Nothing more is written, so that no acknowledged write can "
                + "be lost. Check the disk, then restart the service. A pending write is then either stored or not."
        )
    }

    /// Stops writing for good because of the files at the path of the database, and logs it the first time.
    func stop(_ fault: PlaceFault) -> StoreError {
        stop(
            saying: "\(path): \(fault). Nothing more is written, so that no acknowledged write can be lost. Stop the "
                + "service, put the files back as they were or remove the second name, then start it again. A pending "
                + "write is then either stored or not."
        )
    }

    private func stop(saying description: String) -> StoreError {
        let error = StoreError(.stopped, description)
        return reason.withLock { reason in
            if let reason { return reason }
            logger.critical("writing has stopped", metadata: ["why": "\(error)"])
            reason = error
            return error
        }
    }
}
