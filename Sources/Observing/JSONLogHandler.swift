import Foundation
import Formats
public import Logging
public import Stories

/// Writes each event of the log as one line of JSON: time, level, message, and the event's own fields.
///
/// Fields keep their names. Numbers stay numbers. No source position is written, because it says nothing to operators.
public struct JSONLogHandler: LogHandler {
    /// The least level that is written.
    public var logLevel: Logger.Level = .info
    /// The fields of all events.
    public var metadata: Logger.Metadata = [:]
    /// Gives further fields.
    public var metadataProvider: Logger.MetadataProvider?

    private let now: @Sendable () -> Timestamp
    private let write: @Sendable ([UInt8]) -> Void

    /// The fields that every event has.
    private static let reserved: Set<String> = ["time", "level", "message"]

    /// Creates a handler that writes lines, each with its end.
    public init(now: @escaping @Sendable () -> Timestamp, write: @escaping @Sendable ([UInt8]) -> Void) {
        self.now = now
        self.write = write
    }

    /// Creates a handler that writes to standard error.
    public static func standardError(now: @escaping @Sendable () -> Timestamp) -> JSONLogHandler {
        JSONLogHandler(now: now) { line in
            // One call for each line, so that lines of several threads do not mix.
            try? FileHandle.standardError.write(contentsOf: Data(line))
        }
    }

    /// A field of all events.
    public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    /// Writes an event.
    public func log(event: LogEvent) {
        var json = JSONWriter(capacity: 300)
        json.beginObject()
        json.key("time")
        json.value(RFC3339.format(now()))
        json.key("level")
        json.value(event.level.rawValue)
        json.key("message")
        json.value(event.message.description)
        var fields = metadata
        fields.merge(metadataProvider?.get() ?? [:]) { _, new in new }
        fields.merge(event.metadata ?? [:]) { _, new in new }
        if let error = event.error { fields["error"] = "\(error)" }
        for (name, value) in fields.sorted(by: { $0.key < $1.key }) {
            json.key(JSONLogHandler.reserved.contains(name) ? name + "_" : name)
            JSONLogHandler.append(value, to: &json)
        }
        json.endObject()
        json.endLine()
        write(json.bytes)
    }

    private static func append(_ value: Logger.MetadataValue, to json: inout JSONWriter) {
        switch value {
        case .string(let text): json.value(text)
        case .stringConvertible(let number as Int): json.value(number)
        case .stringConvertible(let number as Double): json.value(number)
        case .stringConvertible(let flag as Bool): json.value(flag)
        case .stringConvertible(let other): json.value(other.description)
        case .array(let values):
            json.beginArray()
            for value in values { append(value, to: &json) }
            json.endArray()
        case .dictionary(let fields):
            json.beginObject()
            for (name, value) in fields.sorted(by: { $0.key < $1.key }) {
                json.key(name)
                append(value, to: &json)
            }
            json.endObject()
        }
    }
}
