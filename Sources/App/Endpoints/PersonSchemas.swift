import Web
import Library
import Formats
import Storage
import Stories

/// The schemas of the routes of a person's rights over the data stored about them.
enum PersonSchemas: Sendable {
    static let all: [(name: String, schema: Schema)] = [
        ("LocationData", locationData), ("Consents", consents), ("AccessPage", accessPage),
        ("ErasureReceipt", receipt),
    ]

    private static let instant = Schema.text(minBytes: 20, maxBytes: 40, format: "date-time")
    private static let count = Schema.integer(0...Int(Int32.max))
    private static let text = Schema.text(maxBytes: 4_000)
    private static let user = Schema.text(minBytes: 1, maxBytes: 64)

    private static let position = Schema.object([
        .init("at", instant, required: true), .init("lat", .number(-90...90), required: true),
        .init("lon", .number(-180...180), required: true),
        .init(
            "accuracy",
            .nullable(.number(0...1e9)),
            required: true,
            "The accuracy in metres assumed in calculations."
        ),
    ])

    private static let locationData = Schema.object([
        .init("monitoring", .word(["on", "off"]), required: true),
        .init("consent_at", .nullable(instant), required: true),
        .init("raw_fixes", count, required: true, "The number of positions kept as received, at the caller's request."),
        .init(
            "devices",
            .array(
                .object([
                    .init("device", .text(minBytes: 1, maxBytes: 64), required: true),
                    .init("heard_of", instant, required: true), .init("bytes", count, required: true),
                    .init("last_position", .nullable(position), required: true, "The last position that was accepted."),
                    .init("positions", .array(position), required: true, "All stored positions, including the last."),
                    .init(
                        "places",
                        count,
                        required: true,
                        "The number of places at which the device is, or probably is."
                    ),
                    .init(
                        "fix_digests",
                        count,
                        required: true,
                        "The number of digests of the latest fixes, which identify repetitions."
                    ),
                ])
            ),
            required: true
        ),
        .init("told_stories", count, required: true), .init("notifications", count, required: true),
        .init(
            "kept",
            .array(
                .object([
                    .init("kind", text, required: true), .init("rows", count, required: true),
                    .init("holds", text, required: true), .init("until", text, required: true),
                ])
            ),
            required: true,
            "The stored data by kind, with its contents and retention."
        ),
        .init("explanation", text, required: true),
    ])

    private static let consents = Schema.object([
        .init(
            "current",
            .array(
                .object([
                    .init("kind", text, required: true), .init("version", .nullable(text), required: true),
                    .init("since", .nullable(instant), required: true),
                ])
            ),
            required: true
        ),
        .init(
            "history",
            .array(
                .object([
                    .init("at", instant, required: true), .init("kind", text, required: true),
                    .init("version", .nullable(text), required: true),
                    .init("action", .word(["given", "withdrawn"]), required: true),
                    .init("source", .word(["app", "operator", "erasure", "restore"]), required: true),
                ])
            ),
            required: true
        ),
        .init("explanation", text, required: true),
    ])

    private static let accessPage = Schema.object([
        .init(
            "accesses",
            .array(
                .object([
                    .init("story", .hexID, required: true),
                    .init(
                        "reader",
                        .nullable(user),
                        required: true,
                        "The user. For a service, the id of its key or the subject of its token. null: erased since."
                    ),
                    .init("reader_kind", .word(["user", "service", "erased"]), required: true),
                    .init("reader_name", .nullable(.text(maxBytes: StoryLimits.nameLength)), required: true),
                    .init("day", .text(minBytes: 10, maxBytes: 10, format: "date"), required: true, "The day in UTC."),
                ])
            ),
            required: true
        ),
        .init("links", .object([.init("next", .nullable(text), required: true)]), required: true),
    ])

    private static let receipt = Schema.object([
        .init("receipt_id", .hexID, required: true),
        .init("what", .word(ErasureList.Kind.receipts.map(\.rawValue)), required: true),
        .init("at", instant, required: true),
        .init("counts", .object([], open: true), required: true, "The number of items by type."),
        .init(
            "overwritten",
            .boolean,
            required: true,
            "false: the freed space of the file is overwritten within minutes."
        ),
        .init("note", text, required: true),
        .init("signature", .text(minBytes: 64, maxBytes: 64), required: true, "The HMAC-SHA256 of this installation."),
    ])
}
