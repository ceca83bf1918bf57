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
                    .init("who", sentence, required: true, "Who sees the story."),
                    .init("map", sentence, required: true, "What it means for the map."),
                    .init("search", sentence, required: true, "What it means for search and lists."),
                    .init("notifications", sentence, required: true, "What it means for notifications."),
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
        .init("privacy", level, required: true, "Who may see it."),
        .init(
            "family",
            .nullable(.identifier),
            "For family_only: the one family, null for all the owner's; the one named before unless given."
        ),
    ])

    private static let autoPrivateInput = Schema.object([
        .init("auto_private", .boolean, required: true, "Whether the stories are private for the time being."),
        .init("user", .identifier, "All stories of this account."),
        .init("stories", .array(.identifier, maxItems: 10_000), "Or these stories."),
    ])

    private static let outcome = Schema.object([
        .init("changed", count, required: true), .init("unchanged", count, required: true),
        .init("unknown", count, required: true),
    ])

    private static let reportInput = Schema.object([
        .init("reason", reason, required: true, "Why."), .init("text", words, "In your own words."),
    ])

    private static let report: [Schema.Member] = [
        .init("tracking_id", storyID, required: true, "The same for a repeat."),
        .init("story", storyID, required: true), .init("reason", reason, required: true),
        .init("status", status, required: true), .init("created_at", instant, required: true),
        .init("updated_at", instant, required: true),
    ]

    private static let entry: [Schema.Member] = [
        .init("owner", .nullable(.identifier), required: true, "Null when the story is gone."),
        .init("text", words, required: true, "The reporter's words."),
        .init("note", words, required: true, "The operators' note."),
        .init("count", .integer(1...Int(Int32.max)), required: true, "How many users reported the story."),
    ]

    private static let decision = Schema.object([
        .init(
            "status",
            status,
            required: true,
            "actioned withholds the story; any other lifts what this report withheld."
        ),
        .init("note", words, "For the operators; null takes the old one away."),
    ])

    private static let page = Schema.object([
        .init("reports", .array(.named("ReportEntry")), required: true),
        .init("links", .array(.named("Link")), required: true),
    ])
}
