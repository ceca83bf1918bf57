import Web
import Library
import Formats
import Stories

/// Writes the results of the items of a batch.
enum BatchJSON: Sendable {
    /// Returns the outcome of the item at an index of the batch.
    static func outcome(_ outcome: BatchOutcome, index: Int) -> [UInt8] {
        var json = JSONWriter(capacity: 200)
        json.beginObject()
        json.member("index", index)
        json.member("outcome", outcome.kind.rawValue)
        json.member("id", outcome.idText)
        json.member("client_id", outcome.clientID)
        json.member("etag", outcome.kind == .conflict ? nil : outcome.version)
        if outcome.kind == .conflict { json.member("current", outcome.version) }
        if let reason = outcome.reason { json.member("reason", reason) }
        if !outcome.errors.isEmpty { json.member("errors", outcome.errors) }
        if !outcome.duplicates.isEmpty { json.member("duplicate_of", outcome.duplicates.map(\.description)) }
        json.endObject()
        return json.bytes
    }
}
