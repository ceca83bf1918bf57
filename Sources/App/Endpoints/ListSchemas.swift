import Web
import Library
import Stories

/// The schemas of nearby stories, histograms and collections in requests and answers.
enum ListSchemas: Sendable {
    static let all: [(name: String, schema: Schema)] = [
        (
            "NearbyFeature",
            StorySchemas.feature(with: [
                .init("distance", .number(0...21_000_000), required: true, "The distance in metres."),
                .init(
                    "place",
                    .hexID,
                    "The id of the story's further place that is so near; absent if it is its own location."
                ),
            ])
        ),
        ("NearbyCollection", nearby), ("Histogram", histogram), ("CollectionInput", collectionInput),
        ("Collection", collection), ("CollectionPage", collectionPage), ("CollectionOrder", collectionOrder),
    ]

    private static let name = Schema.text(minBytes: 1, maxBytes: StoryLimits.nameLength)
    private static let count = Schema.integer(0...Int(Int32.max))
    private static let day = Schema.text(minBytes: 10, maxBytes: 11, pattern: TextPattern.day)
    private static let privacy = Schema.word(Privacy.allCases.map(\.rawValue))
    private static let about = Schema.nullable(.text(maxBytes: StoryLimits.collectionTextLength))

    private static let nearby = Schema.object([
        .init("type", .constant("FeatureCollection"), required: true),
        .init("numberReturned", count, required: true),
        .init("features", .array(.named("NearbyFeature")), required: true),
    ])

    private static let histogram = Schema.object([
        .init("from", .nullable(day), required: true, "The first day; null if there are no stories."),
        .init("to", .nullable(day), required: true, "The last day."),
        .init(
            "numberMatched",
            count,
            required: true,
            "The number of stories that overlap the days, each counted once."
        ),
        .init("undated", count, required: true, "The number of stories without a date."),
        .init(
            "bins",
            .array(
                .object([
                    .init("from", day, required: true, "The first day."),
                    .init("to", day, required: true, "The last day; the next bin starts on the day after."),
                    .init("count", count, required: true, "The number of stories that overlap the bin."),
                ]),
                maxItems: MapService.mostBins
            ),
            required: true
        ),
    ])

    private static let collectionInput = Schema.object([
        .init("title", name, required: true, "The title on one line, which its stories give as their collection."),
        .init("text", about, "A description of the collection."),
        .init(
            "privacy",
            privacy,
            "The privacy level of the collection (default private). Its stories keep their own levels."
        ),
        .init("family", .nullable(.identifier), "For family_only: the one family; null for all of the owner's."),
    ])

    private static let collection = Schema.object([
        .init("id", .hexID, required: true),
        .init("title", name, required: true), .init("text", about, required: true),
        .init("owner", .identifier, required: true), .init("owner_name", .nullable(name), required: true),
        .init("privacy", privacy, required: true), .init("family", .nullable(.identifier), required: true),
        .init("story_count", count, required: true, "The number of its stories visible to the viewer."),
        .init("created_at", .text(minBytes: 20, maxBytes: 40, format: "date-time"), required: true),
    ])

    private static let collectionOrder = Schema.object([
        .init(
            "stories",
            .array(.hexID, maxItems: StoryLimits.tripLength),
            required: true,
            "The ids of stories of the collection, each once; an empty list leaves all to their dates."
        )
    ])

    private static let collectionPage = Schema.object([
        .init("collections", .array(.named("Collection")), required: true),
        .init("links", .object([.init("next", .nullable(.text(maxBytes: 1_000)), required: true)]), required: true),
    ])
}
