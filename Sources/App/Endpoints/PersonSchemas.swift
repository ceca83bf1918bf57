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
        .init("accuracy", .nullable(.number(0...1e9)), required: true, "Metres that are reckoned with."),
    ])

    private static let locationData = Schema.object([
        .init("monitoring", .word(["on", "off"]), required: true),
        .init("consent_at", .nullable(instant), required: true),
        .init("raw_fixes", count, required: true, "Positions that are kept as they came, because the caller asked."),
        .init(
            "devices",
            .array(
                .object([
                    .init("device", .text(minBytes: 1, maxBytes: 64), required: true),
                    .init("heard_of", instant, required: true), .init("bytes", count, required: true),
                    .init("last_position", .nullable(position), required: true, "The last that was believed."),
                    .init("positions", .array(position), required: true, "All that is kept, the last among them."),
                    .init("places", count, required: true, "How many places it is at, or likely at."),
                    .init("fix_digests", count, required: true, "Of the latest fixes, to know repetitions by."),
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
            "What is kept, by its kind, what that holds and until when."
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
                        "The user, or of a service the id of its key or whom its token names; null: erased since."
                    ),
                    .init("reader_kind", .word(["user", "service", "erased"]), required: true),
                    .init("reader_name", .nullable(.text(maxBytes: StoryLimits.nameLength)), required: true),
                    .init("day", .text(minBytes: 10, maxBytes: 10, format: "date"), required: true, "UTC."),
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
        .init("counts", .object([], open: true), required: true, "How many of what."),
        .init("overwritten", .boolean, required: true, "false: free space of the file follows within minutes."),
        .init("note", text, required: true),
        .init("signature", .text(minBytes: 64, maxBytes: 64), required: true, "HMAC-SHA256 of this installation."),
    ])
}
