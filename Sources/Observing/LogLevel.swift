public import Logging
import Synchronization

/// The least level of a log, which can change while loggers are in use.
public final class LogLevel: Sendable {
    private let level: Mutex<Logger.Level>

    /// Creates a level.
    public init(_ level: Logger.Level) { self.level = Mutex(level) }

    /// The level at present.
    public var current: Logger.Level {
        get { level.withLock { $0 } }
        set { level.withLock { $0 = newValue } }
    }
}

/// A handler of a log whose level is shared by all its copies.
public struct SharedLevelHandler: LogHandler {
    private var handler: any LogHandler
    private let level: LogLevel

    /// Creates a handler that writes as another one does.
    public init(_ handler: any LogHandler, level: LogLevel) {
        (self.handler, self.level) = (handler, level)
        // The level is judged here alone.
        self.handler.logLevel = .trace
    }

    /// The level of all copies.
    public var logLevel: Logger.Level {
        get { level.current }
        set { level.current = newValue }
    }

    /// The fields of all events.
    public var metadata: Logger.Metadata {
        get { handler.metadata }
        set { handler.metadata = newValue }
    }

    /// Gives further fields.
    public var metadataProvider: Logger.MetadataProvider? {
        get { handler.metadataProvider }
        set { handler.metadataProvider = newValue }
    }

    /// A field of all events.
    public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { handler[metadataKey: key] }
        set { handler[metadataKey: key] = newValue }
    }

    /// Writes an event.
    public func log(event: LogEvent) { handler.log(event: event) }
}
