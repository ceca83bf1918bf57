import Synchronization

/// Warnings of parts that the library does not know, such as the certificate of the server.
package final class WarningBoard: Sendable {
    /// The codes of such warnings, for the documentation.
    package static let codes = ["tls-certificate-refused", "tls-certificate-expires", "mqtt-away"]

    private let state = Mutex<[String: [ReadinessWarning]]>([:])

    /// Creates a board without warnings.
    package init() {}

    /// Replaces the warnings of one part.
    package func set(_ warnings: [ReadinessWarning], of part: String) { state.withLock { $0[part] = warnings } }

    /// The warnings that apply at present, by part.
    package var warnings: [ReadinessWarning] {
        state.withLock { $0 }.sorted { $0.key < $1.key }.flatMap(\.value)
    }
}
