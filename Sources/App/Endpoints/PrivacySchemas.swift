import Web
import Library
import Stories

/// The schemas of privacy levels and reports in requests and answers.
enum PrivacySchemas: Sendable {
    static let all: [(name: String, schema: Schema)] = [
        ("PrivacyLevels", levels), ("PrivacyInput", privacyInput), ("AutoPrivateInput", autoPrivateInput),
        ("AutoPrivateOutcome", outcome), ("ReportInput", reportInput), ("Report", .object(report)),
        ("ReportDecision", decision), ("ReportEntry", .object(report + entry)), ("ReportPage", page),
    ]

    private static let level = Schema.word(Privacy.allCases.map(\.rawValue))
    private static let sentence = Schema.text(minBytes: 1, maxBytes: 1_000)
    private static let storyID = Schema.hexID
    private static let instant = Schema.text(minBytes: 20, maxBytes: 40, format: "date-time")
    private static let count = Schema.integer(0...Int(Int32.max))
    private static let reason = Schema.word(ReportReason.allCases.map(\.rawValue))
    private static let status = Schema.word(ReportStatus.allCases.map(\.rawValue))
    private static let words = Schema.nullable(.text(maxBytes: StoryLimits.reportLength))

    private static let levels = Schema.object([
        .init("version", .text(minBytes: 1, maxBytes: 40), required: true),
        .init(
            "levels",
            .array(
                .object([
                    .init("privacy", level, required: true), .init("title", sentence, required: true),
                    .init("who", sentence, required: true, "The audience of the story."),
                    .init("map", sentence, required: true, "The effect on the map."),
                    .init("search", sentence, required: true, "The effect on search and lists."),
                    .init("notifications", sentence, required: true, "The effect on notifications."),
                ])
            ),
            required: true
        ),
        .init(
            "precisions",
            .array(
                .object([
                    .init("precision", .word(LocationPrecision.explanations.map(\.name)), required: true),
                    .init("title", sentence, required: true), .init("text", sentence, required: true),
                ])
            ),
            required: true
        ),
    ])

    private static let privacyInput = Schema.object([
        .init("privacy", level, required: true, "The privacy level."),
        .init(
            "family",
            .nullable(.identifier),
            "For family_only: the one family; null for all of the owner's (default: unchanged)."
        ),
    ])

    private static let autoPrivateInput = Schema.object([
        .init("auto_private", .boolean, required: true, "Whether the stories are temporarily private."),
        .init("user", .identifier, "The account whose stories change."),
        .init("stories", .array(.identifier, maxItems: 10_000), "The stories to change, instead of user."),
    ])

    private static let outcome = Schema.object([
        .init("changed", count, required: true), .init("unchanged", count, required: true),
        .init("unknown", count, required: true),
    ])

    private static let reportInput = Schema.object([
        .init("reason", reason, required: true, "The reason."),
        .init(
            "text",
            words,
            "An explanation in the reporter's own words."
        ),
    ])

    private static let report: [Schema.Member] = [
        .init("tracking_id", storyID, required: true, "The tracking id; the same for a repeated report."),
        .init("story", storyID, required: true), .init("reason", reason, required: true),
        .init("status", status, required: true), .init("created_at", instant, required: true),
        .init("updated_at", instant, required: true),
    ]

    private static let entry: [Schema.Member] = [
        .init("owner", .nullable(.identifier), required: true, "The story's owner; null if the story is gone."),
        .init("text", words, required: true, "The reporter's words."),
        .init("note", words, required: true, "The operators' note."),
        .init("count", .integer(1...Int(Int32.max)), required: true, "The number of users who reported the story."),
    ]

    private static let decision = Schema.object([
        .init(
            "status",
            status,
            required: true,
            "actioned withholds the story; any other status lifts what this report withheld."
        ),
        .init("note", words, "A note for the operators; null removes the previous one."),
    ])

    private static let page = Schema.object([
        .init("reports", .array(.named("ReportEntry")), required: true),
        .init("links", .array(.named("Link")), required: true),
    ])
}
