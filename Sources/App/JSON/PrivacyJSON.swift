import Library
public import Formats
public import Storage
import Stories

/// Writes explanations, outcomes and reports.
public enum PrivacyJSON: Sendable {
    /// The explanations of levels and precisions.
    static let levels: [UInt8] = {
        var json = JSONWriter()
        json.beginObject()
        json.member("version", PrivacyExplanation.version)
        json.key("levels")
        json.beginArray()
        for level in Privacy.allCases {
            let explanation = level.explanation
            json.beginObject()
            json.member("privacy", level.rawValue)
            json.member("title", explanation.title)
            json.member("who", explanation.who)
            json.member("map", explanation.map)
            json.member("search", explanation.search)
            json.member("notifications", explanation.notifications)
            json.endObject()
        }
        json.endArray()
        json.key("precisions")
        json.beginArray()
        for precision in LocationPrecision.explanations {
            json.beginObject()
            json.member("precision", precision.name)
            json.member("title", precision.title)
            json.member("text", precision.text)
            json.endObject()
        }
        json.endArray()
        json.endObject()
        return json.bytes
    }()

    static func outcome(_ outcome: AutoPrivateOutcome) -> [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        json.member("changed", outcome.changed)
        json.member("unchanged", outcome.unchanged)
        json.member("unknown", outcome.unknown)
        json.endObject()
        return json.bytes
    }

    /// Returns a report as shown to its reporter.
    static func report(_ report: Report) -> [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        writeCommon(report, to: &json)
        json.endObject()
        return json.bytes
    }

    /// Returns a report as shown to operators.
    static func entry(_ entry: ReportEntry) -> [UInt8] {
        var json = JSONWriter()
        write(entry, to: &json)
        return json.bytes
    }

    /// Writes a report as shown to operators.
    public static func write(_ entry: ReportEntry, to json: inout JSONWriter) {
        json.beginObject()
        writeCommon(entry.report, to: &json)
        json.member("owner", entry.owner?.rawValue)
        json.member("text", entry.report.text)
        json.member("note", entry.report.note)
        json.member("count", entry.count)
        json.endObject()
    }

    static func page(_ entries: [ReportEntry], next: String?) -> [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        json.key("reports")
        json.beginArray()
        for entry in entries { write(entry, to: &json) }
        json.endArray()
        json.key("links")
        json.beginArray()
        if let next {
            json.beginObject()
            json.member("rel", "next")
            json.member("type", MediaType.json)
            json.member("href", next)
            json.endObject()
        }
        json.endArray()
        json.endObject()
        return json.bytes
    }

    private static func writeCommon(_ report: Report, to json: inout JSONWriter) {
        json.member("tracking_id", report.id.description)
        json.member("story", report.story.description)
        json.member("reason", report.reason.rawValue)
        json.member("status", report.status.rawValue)
        json.member("created_at", RFC3339.format(report.createdAt))
        json.member("updated_at", RFC3339.format(report.updatedAt))
    }
}
