import Formats
import Notifications
import Storage

/// The JSON of the feed's marks and counts, and of what live streams tell of them.
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

    /// How a notification was marked, or with `all` that one and all before it.
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

    /// What became of the settings; the whole of them stands at `/v1/me/notification-settings`.
    static func settings(_ settings: NotificationSettings) -> [UInt8] {
        var json = JSONWriter(capacity: 100)
        json.beginObject()
        json.member("enabled", settings.enabled)
        json.member("preview", settings.preview.rawValue)
        json.endObject()
        return json.bytes
    }

    static let schemas: [(name: String, schema: Schema)] = [
        (
            "NotificationMarks",
            .object([
                .init("read", .boolean, "true: read; false: as if it had not been."),
                .init("archived", .boolean, "true: put away, out of the list and the count."),
            ])
        ),
        (
            "NotificationBefore",
            .object([
                .init(
                    "before",
                    .text(minBytes: 1, maxBytes: 64),
                    required: true,
                    "The id of a notification: that one and all that came before it."
                )
            ])
        ),
        (
            "NotificationReadAll",
            .object([
                .init(
                    "before",
                    .text(minBytes: 1, maxBytes: 64),
                    "The id of a notification: that one and all that came before it; all unless said."
                )
            ])
        ),
        (
            "NotificationBadge",
            .object([
                .init("unread", .integer(0...FeedBadge.most), required: true, "Neither read nor put away."),
                .init(
                    "unseen",
                    .integer(0...FeedBadge.most),
                    required: true,
                    "Of these, since the feed was looked at."
                ),
                .init("display", .text(maxBytes: 8), required: true, "For a bell: 99+ from a hundred on."),
            ])
        ),
        ("NotificationsMarked", .object([.init("marked", .integer(0...Int(Int32.max)), required: true)])),
    ]
}
