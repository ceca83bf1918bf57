import Web
import Library

/// The schemas of the feed's marks and counts.
enum FeedSchemas: Sendable {
    static let all: [(name: String, schema: Schema)] = [
        (
            "NotificationMarks",
            .object([
                .init("read", .boolean, "true: read; false: unread."),
                .init("archived", .boolean, "true: archived, so excluded from the list and the counts."),
            ])
        ),
        (
            "NotificationBefore",
            .object([
                .init(
                    "before",
                    .text(minBytes: 1, maxBytes: 64),
                    required: true,
                    "The id of the last notification to mark, together with all earlier ones."
                )
            ])
        ),
        (
            "NotificationReadAll",
            .object([
                .init(
                    "before",
                    .text(minBytes: 1, maxBytes: 64),
                    "The id of the last notification to mark, together with all earlier ones (default: all)."
                )
            ])
        ),
        (
            "NotificationBadge",
            .object([
                .init(
                    "unread",
                    .integer(0...FeedBadge.most),
                    required: true,
                    "The number of notifications neither read nor archived."
                ),
                .init(
                    "unseen",
                    .integer(0...FeedBadge.most),
                    required: true,
                    "The number of these since the feed was last viewed."
                ),
                .init("display", .text(maxBytes: 8), required: true, "The text of a badge: 99+ from 100 on."),
            ])
        ),
        ("NotificationsMarked", .object([.init("marked", .integer(0...Int(Int32.max)), required: true)])),
    ]
}
