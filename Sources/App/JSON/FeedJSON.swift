import Library
import Formats
import Notifications
import Storage

/// The JSON of the feed's marks and counts, and of their live stream events.
enum FeedJSON: Sendable {
    static func item(_ item: FeedItem) -> [UInt8] {
        var json = JSONWriter(capacity: 600)
        NoticeJSON.write(item, to: &json)
        return json.bytes
    }

    static func badge(_ badge: FeedBadge) -> [UInt8] {
        var json = JSONWriter(capacity: 60)
        json.beginObject()
        json.member("unread", badge.unread)
        json.member("unseen", badge.unseen)
        json.member("display", badge.display)
        json.endObject()
        return json.bytes
    }

    static func readAll(_ count: Int) -> [UInt8] {
        var json = JSONWriter(capacity: 20)
        json.beginObject()
        json.member("marked", count)
        json.endObject()
        return json.bytes
    }

    /// Returns the marks of a notification or, if the event's detail is `all`, of it and all earlier ones.
    static func marks(_ event: FeedEvent) -> [UInt8] {
        var json = JSONWriter(capacity: 100)
        json.beginObject()
        let detail = event.detail ?? ""
        if detail == "all" {
            json.member("before", event.notice)
            json.member("read", true)
        } else {
            json.member("id", event.notice)
            json.member("read", detail.contains("r"))
            json.member("archived", detail.contains("a"))
        }
        json.endObject()
        return json.bytes
    }

    /// Returns `enabled` and `preview` after a change; `/v1/me/notification-settings` returns all settings.
    static func settings(_ settings: NotificationSettings) -> [UInt8] {
        var json = JSONWriter(capacity: 100)
        json.beginObject()
        json.member("enabled", settings.enabled)
        json.member("preview", settings.preview.rawValue)
        json.endObject()
        return json.bytes
    }
}
