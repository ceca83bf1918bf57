import Web
import Library
import Formats
import Notifications

/// The bodies and header fields sent to webhooks, for developers of receivers.
enum WebhookSchemas: Sendable {
    static let all: [(name: String, schema: Schema)] = [
        ("WebhookChallenge", challenge), ("WebhookMessage", message),
    ]

    /// The messages, with their names in the document.
    static let webhooks: [Webhook] = [
        Webhook(
            name: "endpointVerification",
            summary: """
                Verifies that the owner of the endpoint wants messages. Answer 200 within 20 seconds with the text of \
                data.challenge as the entire body, or with {"challenge":"…"}. Nothing else is sent before that. The \
                request is signed like every message.
                """,
            schema: "WebhookChallenge",
            answer: "The challenge, as plain text or as the member challenge of an object."
        ),
        Webhook(
            name: "notification",
            summary: """
                Delivers a notification, a test (channel.test) or several notifications in one message (digest). Any \
                2xx accepts it, whatever the body. 410 disables the channel. 429, 502, 503 and 504 with Retry-After \
                postpone the message. 400, 413, 414, 415 and 422 discard it. After anything else, including redirects \
                and no answer within 20 seconds, the message is retried for three days with the same webhook-id.
                """,
            schema: "WebhookMessage",
            answer: "The message was accepted."
        ),
    ]

    /// The header fields of every message, besides the content type.
    static let headers: [Webhook.Header] = [
        (
            "webhook-id",
            "The id of the message, the same for every attempt. Ignore messages that you have already received."
        ),
        (
            "webhook-timestamp",
            "The time of this attempt in seconds since 1970. Reject messages that differ from your clock by more than "
                + "five minutes."
        ),
        (
            "webhook-signature",
            "The signatures, separated by spaces, one per key: v1, with the base64 of the HMAC-SHA256 by the secret "
                + "(the bytes encoded in base64 after whsec_); v1a, with that of the Ed25519 signature by the "
                + "signing_key. Both sign webhook-id.webhook-timestamp.body. One valid signature is enough (Standard "
                + "Webhooks)."
        ),
        (
            "traceparent",
            "The position of this attempt in a trace (W3C Trace Context). The trace is that of your own request if one "
                + "caused the message, otherwise a new one."
        ),
    ]

    private static let instant = Schema.text(minBytes: 20, maxBytes: 40, format: "date-time")
    private static let count = Schema.integer(0...Int(Int32.max))
    private static let id = Schema.hexID

    private static let challenge = Schema.object([
        .init("type", .constant(ChannelWriter.challengeType), required: true),
        .init("timestamp", instant, required: true, "The time when the message was written."),
        .init(
            "data",
            .object([.init("challenge", .text(minBytes: 8, maxBytes: 64), required: true, "The text to answer with.")]),
            required: true
        ),
    ])

    private static let type = Schema.Member(
        "type",
        .text(minBytes: 1, maxBytes: NoticeType.length),
        required: true,
        "\(NoticeType.own.map(\.rawValue).joined(separator: ", ")), or the type of an app's backend, such as "
            + "comment.new; \(NoticeType.test): a test; \(NoticeType.digest): several notifications in one message, "
            + "after quiet hours and in weekly or monthly e-mails. Ignore unknown types: more will be added."
    )

    private static let message = Schema.object([
        type, .init("timestamp", instant, required: true, "The time of detection."),
        .init("data", data, required: true),
    ])

    private static let data = Schema.object(
        [
            .init("id", id, required: true, "The id, as in the feed and in webhook-id."), type,
            .init("kind", .word(["entered", "passed"]), "How the place was reached."),
            .init(
                "place",
                .object([
                    .init("id", .text(minBytes: 2, maxBytes: 64), required: true, "The id, as on the map."),
                    .init("name", .text(maxBytes: 1_000), required: true),
                ]),
                "The place of a story.nearby notification; never the user's current or past position."
            ),
            .init(
                "counts",
                .object([.init("total", count, required: true)], open: true),
                "The number of stories by kind, and in total."
            ),
            .init("title", .text(maxBytes: 500), required: true, "The title; Waymark if preview is none."),
            .init(
                "body",
                .text(maxBytes: 2_000),
                required: true,
                "The text, which may be empty. It contains the text of an app's backend if preview is full."
            ),
            .init("content_ids", .array(id, maxItems: 100), "The ids of the stories."),
            .init("confidence", .number(0...1), "The confidence that the place was reached, from 0 to 1."),
            .init(
                "simulated",
                .boolean,
                required: true,
                "Whether the notification comes from a recorded or simulated trace."
            ),
            .init("occurred_at", instant, required: true, "The time of the event."),
            .init("detected_at", instant, required: true, "The time of detection."),
            .init("expires_at", instant, "The time after which the notification is of no use."),
            .init("badge", count, "The number of the user's unread notifications."),
            .init("url", .text(minBytes: 8, maxBytes: 2_048), "The URL to open."),
        ],
        open: true
    )
}
