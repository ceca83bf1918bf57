package import Formats
import Notifications
package import Storage
import Stories

/// An outbox entry as shown to operators, over HTTP and on the command line.
package enum OutboxJSON: Sendable {
    /// Writes an entry, with its attempts if given, and its recipient only on request.
    package static func write(
        _ entry: OutboxEntry,
        attempts: [AttemptRow]?,
        withUser: Bool = false,
        to json: inout JSONWriter
    ) {
        json.beginObject()
        json.member("number", Int(entry.number))
        json.member("state", entry.state.rawValue)
        json.member("type", entry.type.rawValue)
        json.member("message", entry.message)
        json.member("channel", entry.channel)
        if withUser { json.member("user", entry.user.rawValue) }
        json.member("created_at", RFC3339.format(entry.createdAt))
        json.member("not_before", RFC3339.format(entry.notBefore))
        json.member("expires_at", entry.expiresAt.map { RFC3339.format($0) })
        json.member("attempts", entry.attempts)
        json.member("reason", entry.reason)
        write(status: entry.status, to: &json)
        json.member("ended_at", entry.endedAt.map { RFC3339.format($0) })
        if let attempts {
            json.key("tries")
            json.beginArray()
            for attempt in attempts { write(attempt, to: &json) }
            json.endArray()
        }
        json.endObject()
    }

    private static func write(_ attempt: AttemptRow, to json: inout JSONWriter) {
        json.beginObject()
        json.member("number", attempt.number)
        json.member("at", RFC3339.format(attempt.at))
        json.member("outcome", attempt.outcome)
        write(status: attempt.status, to: &json)
        json.member("took_ms", Int(attempt.tookMs))
        json.endObject()
    }

    private static func write(status: Int?, to json: inout JSONWriter) {
        json.key("status")
        if let status { json.value(status) } else { json.null() }
    }
}
