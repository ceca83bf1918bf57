import Web
import Library

/// The schemas of the feed's marks and counts.
enum FeedSchemas: Sendable {
    static let all: [(name: String, schema: Schema)] = [
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
