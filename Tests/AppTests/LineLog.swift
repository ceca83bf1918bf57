import Logging

/// A log that hands its lines on: level, a blank, message.
struct LineLog: LogHandler {
    var logLevel = Logger.Level.info
    var metadata: Logger.Metadata = [:]
    let write: @Sendable (String) -> Void

    static func logger(_ write: @escaping @Sendable (String) -> Void) -> Logger {
        Logger(label: "test") { _ in LineLog(write: write) }
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) { write("\(event.level) \(event.message)") }
}
