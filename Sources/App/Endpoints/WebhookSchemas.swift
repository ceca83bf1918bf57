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
                Asks whether the endpoint's owner wants messages. Answer 200 within 20 seconds with the text of \
                data.challenge as the whole body, or with {"challenge":"…"}; until then nothing else is sent. It is \
                signed as every message is.
                """,
            schema: "WebhookChallenge",
            answer: "The challenge, as plain text or as the member challenge of an object."
        ),
        Webhook(
            name: "notification",
            summary: """
                A notification, a sample (channel.test) or several notifications in one (digest). Any 2xx takes it, \
                whatever the body; 410 switches the channel off, 429, 502, 503 and 504 with Retry-After put it off, 400, \
                413, 414, 415 and 422 end it. Everything else, redirects and no answer within 20 seconds among it, is \
                tried again for three days under the same webhook-id.
                """,
            schema: "WebhookMessage",
            answer: "It was taken."
        ),
    ]

    /// The header fields of every message, besides the content type.
    static let headers: [Webhook.Header] = [
        ("webhook-id", "The id of the message; the same at every attempt: drop what you have seen."),
        (
            "webhook-timestamp",
            "When this attempt was made, in seconds since 1970: refuse what is five minutes away from your clock."
        ),
        (
            "webhook-signature",
            "Signatures with blanks between them, one for each key: v1, with the base64 of HMAC-SHA256 by the secret "
                + "(the bytes that stand in base64 behind whsec_), v1a, with that of Ed25519 by the signing_key, both "
                + "over webhook-id.webhook-timestamp.body. One that fits is enough (Standard Webhooks)."
        ),
    ]

    private static let instant = Schema.text(minBytes: 20, maxBytes: 40, format: "date-time")
    private static let count = Schema.integer(0...Int(Int32.max))
    private static let id = Schema.hexID

    private static let challenge = Schema.object([
        .init("type", .constant(ChannelWriter.challengeType), required: true),
        .init("timestamp", instant, required: true, "When it was written."),
        .init(
            "data",
            .object([.init("challenge", .text(minBytes: 8, maxBytes: 64), required: true, "What to answer with.")]),
            required: true
        ),
    ])

    private static let type = Schema.Member(
        "type",
        .text(minBytes: 1, maxBytes: NoticeType.length),
        required: true,
        "\(NoticeType.own.map(\.rawValue).joined(separator: ", ")), the word of an app's backend such as comment.new; "
            + "\(NoticeType.test): a sample; \(NoticeType.digest): several in one, after quiet hours and by weekly or monthly "
            + "e-mail. More will come: ignore what you do not know."
    )

    private static let message = Schema.object([
        type, .init("timestamp", instant, required: true, "When it was noticed."),
        .init("data", data, required: true),
    ])

    private static let data = Schema.object(
        [
            .init("id", id, required: true, "As in the feed, and in webhook-id."), type,
            .init("kind", .word(["entered", "passed"]), "How the place was reached."),
            .init(
                "place",
                .object([
                    .init("id", .text(minBytes: 2, maxBytes: 64), required: true, "As on the map."),
                    .init("name", .text(maxBytes: 1_000), required: true),
                ]),
                "The place of story.nearby; never where the user is or was."
            ),
            .init(
                "counts",
                .object([.init("total", count, required: true)], open: true),
                "How many stories of each kind it tells of, and in all."
            ),
            .init("title", .text(maxBytes: 500), required: true, "Waymark when preview is none."),
            .init(
                "body",
                .text(maxBytes: 2_000),
                required: true,
                "May be empty: what an app's backend says stands here when preview is full."
            ),
            .init("content_ids", .array(id, maxItems: 100), "The stories."),
            .init("confidence", .number(0...1), "How sure it is that the place was reached."),
            .init("simulated", .boolean, required: true, "Whether it comes from a recorded or simulated walk."),
            .init("occurred_at", instant, required: true, "When it happened."),
            .init("detected_at", instant, required: true, "When it was noticed."),
            .init("expires_at", instant, "After when it is of no use."),
            .init("badge", count, "How many notifications the user has not read."),
            .init("url", .text(minBytes: 8, maxBytes: 2_048), "Where it leads."),
        ],
        open: true
    )
}
