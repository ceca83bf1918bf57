import Web
import Library
public import Formats
import Geometry
public import Notifications
import Storage
import Stories

/// The JSON of notifications and their settings.
public enum NoticeJSON: Sendable {
    static func report(_ report: FixReport) -> [UInt8] {
        var json = JSONWriter(capacity: 400)
        json.beginObject()
        for (name, count) in [
            ("accepted", report.accepted), ("duplicate", report.duplicate), ("late", report.late),
            ("suspect", report.suspect),
        ] {
            json.member(name, count)
        }
        json.key("rejected")
        json.beginArray()
        for fix in report.rejected.sorted(by: { $0.index < $1.index }) {
            json.beginObject()
            json.member("i", fix.index)
            json.member("why", fix.reason)
            json.member("field", fix.field)
            json.member("message", fix.message)
            json.endObject()
        }
        json.endArray()
        json.member("notifications", report.notices.map(\.id))
        json.member("monitoring", report.isMonitoring ? "on" : "off")
        json.endObject()
        return json.bytes
    }

    static func settings(
        _ settings: NotificationSettings,
        lastAnnounced: [PlaceID: Timestamp] = [:],
        names: [PlaceID: String] = [:],
        notes: [FieldProblem] = []
    ) -> [UInt8] {
        var json = JSONWriter(capacity: 800)
        json.beginObject()
        json.member("enabled", settings.enabled)
        json.member("radius", settings.radius)
        json.member("kinds", settings.kinds.map(\.rawValue).sorted())
        json.member("notify_own", settings.notifiesOwn)
        json.member("notify_viewed", settings.notifiesViewed)
        json.member("min_dwell", settings.minimumDwell)
        json.member("max_speed", settings.maximumSpeed)
        json.member("keep_fixes_days", settings.keptDays)
        json.key("places")
        json.beginArray()
        for setting in settings.places {
            json.beginObject()
            json.member("place_id", setting.place.description)
            json.member("enabled", setting.isEnabled)
            json.member("muted_until", setting.mutedUntil.map { RFC3339.format($0) })
            json.member("radius", setting.radius)
            if let kinds = setting.kinds {
                json.member("kinds", kinds.map(\.rawValue).sorted())
            } else {
                json.key("kinds")
                json.null()
            }
            json.member("name", names[setting.place])
            json.member("last_announced", lastAnnounced[setting.place].map { RFC3339.format($0) })
            json.endObject()
        }
        json.endArray()
        json.member("preview", settings.preview.rawValue)
        DeliveryJSON.write(settings, to: &json)
        json.member("consent_version", settings.consentVersion)
        json.member("consent_at", settings.consentAt.map { RFC3339.format($0) })
        json.member("explanation", Consent.explanation)
        json.member("notes", notes)
        json.endObject()
        return json.bytes
    }

    static func page(_ items: [FeedItem], next: String?) -> [UInt8] {
        var json = JSONWriter(capacity: 600 * (items.count + 1))
        json.beginObject()
        json.key("notifications")
        json.beginArray()
        for item in items { write(item, to: &json) }
        json.endArray()
        json.key("links")
        json.beginObject()
        json.member("next", next)
        json.endObject()
        json.endObject()
        return json.bytes
    }

    /// Writes an item of the feed.
    static func write(_ item: FeedItem, to json: inout JSONWriter) {
        json.beginObject()
        writeMembers(of: item, to: &json)
        json.member("created_at", RFC3339.format(item.createdAt))
        json.member("read", item.readAt != nil)
        json.member("archived", item.archivedAt != nil)
        json.member("opened", item.openedAt != nil)
        json.member("simulated", item.isSimulated)
        json.member("url", url(of: item))
        json.key("opens")
        json.beginObject()
        json.member("kind", item.target.word)
        json.member("id", item.target.id ?? item.id)
        json.endObject()
        json.endObject()
    }

    /// Returns the target of a notification: a backend's own link, else the page, which opens the notification's exact
    /// subject, or just the page for a tombstone.
    static func url(of item: FeedItem) -> String {
        if case .message(let message) = item.subject, let link = message.link { return link }
        return item.subject == .gone ? "/" : "/#notice=\(item.id)"
    }

    /// Writes a notification as `waymark replay --format ndjson` prints it.
    ///
    /// The operator also gets the source ids. Users do not, because a source id can be a digest of the imported row and
    /// could reveal a hidden point.
    public static func writeLine(_ item: FeedItem, to json: inout JSONWriter) {
        json.beginObject()
        writeMembers(of: item, to: &json)
        json.member("source_ids", item.content.compactMap(\.sourceID))
        json.endObject()
        json.endLine()
    }

    private static func writeMembers(of item: FeedItem, to json: inout JSONWriter) {
        json.member("id", item.id)
        json.member("notification_id", item.id)
        json.member("type", item.subject.type.rawValue)
        json.member("at", RFC3339.format(item.at))
        if let visit = item.visit { writePlace(of: visit, to: &json) }
        json.member("title", item.title)
        json.member("body", item.body)
        switch item.subject {
        case .nearby, .familyDeleted, .gone: break
        case .newStories(let news):
            json.member("author", news.author.rawValue)
            json.member("count", news.content.count)
            json.member("content_ids", news.content.map(\.id.description))
        case .message(let message):
            json.key("details")
            json.beginObject()
            for (name, value) in message.details.sorted(by: { $0.key < $1.key }) { json.member(name, value) }
            json.endObject()
            if !message.content.isEmpty {
                json.member("count", message.content.count)
                json.member("content_ids", message.content.map(\.id.description))
            }
        }
        if let visit = item.visit { json.member("confidence", visit.confidence) }
    }

    private static func writePlace(of visit: FeedItem.Visit, to json: inout JSONWriter) {
        json.member("kind", visit.kind.rawValue)
        json.key("place")
        json.beginObject()
        json.member("id", PlaceID(visit.place).description)
        json.member("name", visit.placeName)
        json.key("lat")
        json.degrees(visit.place.latitude)
        json.key("lon")
        json.degrees(visit.place.longitude)
        if let named = visit.namedPlace { json.member("named_place", named.rawValue) }
        json.endObject()
        json.member("count", visit.content.count)
        json.member("content_ids", visit.content.map(\.id.description))
        let further = visit.content.filter { $0.place != nil }
        guard !further.isEmpty else { return }
        json.key("story_places")
        json.beginArray()
        for told in further {
            json.beginObject()
            json.member("story", told.id.description)
            json.member("story_place", told.place?.description)
            json.endObject()
        }
        json.endArray()
    }
}
