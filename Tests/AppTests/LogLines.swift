import Logging
import Synchronization

/// What a service writes into its log during a test.
final class LogLines: Sendable {
    private struct Handler: LogHandler {
        var logLevel = Logger.Level.info
        var metadata: Logger.Metadata = [:]
        let write: @Sendable (String) -> Void

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) { write("\(event.level) \(event.message) \(event.metadata ?? [:])") }
    }

    private let lines = Mutex<[String]>([])

    /// A logger whose lines are kept here.
    var logger: Logger {
        Logger(label: "test") { _ in Handler { line in self.lines.withLock { $0.append(line) } } }
    }

    /// The lines that begin so: with a level and a message.
    func beginning(with words: String) -> [String] { lines.withLock { $0.filter { $0.hasPrefix(words) } } }
}
