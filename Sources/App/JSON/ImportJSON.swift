package import Formats
package import Library
package import Storage

/// Imports as JSON.
package enum ImportJSON: Sendable {
    /// Writes what an import's owner may know of it as members of an object.
    package static func members(of stored: StoredImport, state: String, to json: inout JSONWriter) {
        json.member("id", stored.id)
        json.member("source", stored.origin.source)
        json.member("file", stored.origin.file)
        json.member(
            "digest",
            stored.origin.digest.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        )
        if let format = stored.format { json.member("format", format) }
        json.member("state", state)
        json.member("started_at", RFC3339.format(stored.times.started))
        if let ended = stored.times.ended { json.member("ended_at", RFC3339.format(ended)) }
        if let undone = stored.times.undone { json.member("undone_at", RFC3339.format(undone)) }
        let counts = stored.counts
        json.member("new", counts.created)
        json.member("changed", counts.changed)
        json.member("unchanged", counts.unchanged)
        json.member("refused", counts.refused)
        json.member("removed", counts.removed)
        member(problems: stored.problems, to: &json)
    }

    private static func member(problems: String?, to json: inout JSONWriter) {
        guard let text = problems, let list = try? JSONValue(parsing: Array(text.utf8), limits: .init(bytes: .max))
        else {
            return
        }
        json.key("problems")
        json.value(list)
    }

    /// Writes how far an import is as the member `progress`.
    package static func member(_ progress: UploadProgress, to json: inout JSONWriter) {
        json.key("progress")
        json.beginObject()
        json.member("rows", progress.rows)
        json.member("bytes", progress.bytes)
        json.member("total_bytes", progress.totalBytes)
        json.endObject()
    }

    /// Returns what an import would do as an object.
    package static func trial(_ trial: UploadTrial) -> [UInt8] {
        var json = JSONWriter(capacity: 400)
        json.beginObject()
        json.member("accepted", !trial.isRefused)
        json.member("new", trial.outcome.created)
        json.member("changed", trial.outcome.updated)
        json.member("unchanged", trial.outcome.unchanged)
        json.member("refused", trial.refusedRows)
        json.member("removed", trial.outcome.removed)
        member(problems: trial.problems, to: &json)
        json.endObject()
        return json.bytes
    }

    /// Writes what undoing an import would do, or did, as the member `undo`.
    package static func member(_ plan: UndoPlan, to json: inout JSONWriter) {
        json.key("undo")
        json.beginObject()
        json.member("deleted", plan.removed)
        json.member("put_back", plan.restored)
        json.member("brought_back", plan.returned)
        json.member("edited_since", plan.edited)
        json.member("changed_later", plan.changedLater)
        json.member("no_longer_stored", plan.lost)
        json.endObject()
    }
}
