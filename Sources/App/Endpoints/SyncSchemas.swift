import Web
import Library
import Formats
import Storage
import Stories

/// The schemas of the routes for clients that were offline.
enum SyncSchemas: Sendable {
    static let all: [(name: String, schema: Schema)] = [
        ("StoryBatch", batch), ("BatchCreate", create), ("BatchUpdate", update), ("BatchDelete", delete),
        ("BatchMark", mark), ("BatchCollectionCreate", collectionCreate), ("BatchCollectionDelete", collectionDelete),
        ("BatchCollectionOrder", collectionOrder),
        ("BatchAnswer", answer), ("ChangePage", changes), ("OfflinePackage", package), ("PackagedFence", fence),
    ]

    private static let id = Schema.hexID
    private static let clientID = Schema.text(minBytes: 1, maxBytes: StoryLimits.nameLength)
    private static let tag = Schema.text(minBytes: 1, maxBytes: 200)
    private static let instant = Schema.text(minBytes: 20, maxBytes: 40, format: "date-time")

    private static let batch = Schema.object([
        .init(
            "items",
            .array(
                .judgedLater(
                    .either([
                        .named("BatchCreate"), .named("BatchUpdate"), .named("BatchDelete"), .named("BatchMark"),
                        .named("BatchCollectionCreate"), .named("BatchCollectionDelete"),
                        .named("BatchCollectionOrder"),
                    ])
                ),
                maxItems: SyncEndpoints.batchLimit
            ),
            required: true,
            "The items, applied in this order. An invalid item is rejected without affecting the others."
        )
    ])

    private static let address: [Schema.Member] = [
        .init("id", .identifier, "The id of the story; or give client_id."),
        .init("client_id", clientID, "The client's own id for the story."),
        .init(
            "if_match",
            tag,
            "The ETag of the client's version. If the current version differs, the outcome is a conflict."
        ),
    ]

    private static let create = Schema.object([
        .init("op", .constant("create"), required: true),
        .init("client_id", clientID, "The client's own id for the story, which makes repetition harmless."),
        .init("story", .named("StoryInput"), required: true),
    ])

    private static let update = Schema.object(
        [.init("op", .constant("update"), required: true)] + address
            + [.init("story", .named("StoryPatch"), required: true, "The fields to change; null clears a field.")]
    )

    private static let delete = Schema.object([.init("op", .constant("delete"), required: true)] + address)

    private static let mark = Schema.object([
        .init(
            "op",
            .word(["favourite", "unfavourite", "hide", "unhide", "view"]),
            required: true,
            "A mark of the caller on any story that they may see."
        ), .init("id", .identifier, "The id of the story; or give client_id."),
        .init("client_id", clientID, "The client's own id for the story."),
    ])

    private static let collectionCreate = Schema.object([
        .init("op", .constant("create_collection"), required: true),
        .init("collection", .named("CollectionInput"), required: true, "A repetition changes nothing."),
    ])

    private static let ownCollection: [Schema.Member] = [
        .init("id", .identifier, "The id of the caller's collection; or give title."),
        .init("title", clientID, "The title of the caller's collection, which may be new in this batch."),
    ]

    private static let collectionDelete = Schema.object(
        [.init("op", .constant("delete_collection"), required: true)] + ownCollection
    )

    private static let collectionOrder = Schema.object(
        [.init("op", .constant("order_collection"), required: true)] + ownCollection + [
            .init(
                "stories",
                .array(clientID, maxItems: StoryLimits.tripLength),
                required: true,
                "The stories of the collection in their order, each once, by id or the client's own id."
            )
        ]
    )

    private static let answer = Schema.object([
        .init("items", .array(outcome, maxItems: SyncEndpoints.batchLimit), required: true)
    ])

    private static let outcome = Schema.object([
        .init("index", .integer(0...SyncEndpoints.batchLimit), required: true),
        .init("outcome", .word(BatchOutcome.Kind.allCases.map(\.rawValue)), required: true),
        .init("id", .nullable(id), required: true),
        .init("client_id", .nullable(clientID), required: true),
        .init("etag", .nullable(tag), required: true, "The story's current ETag."),
        .init("current", .nullable(tag), "With conflict: the ETag of the current version, which is unchanged."),
        .init("reason", .text(maxBytes: 40), "With conflict and refused: the reason as one word, for programs."),
        .init(
            "errors",
            .array(
                .object([
                    .init("field", .text(maxBytes: 400), required: true),
                    .init("message", .text(maxBytes: 1_000), required: true),
                ])
            )
        ),
        .init("duplicate_of", .array(id, maxItems: 20), "The caller's other stories with the same media_sha256."),
    ])

    private static let changes = Schema.object([
        .init(
            "changed",
            .array(.named("Story"), maxItems: 500),
            required: true,
            "The stories that are new or changed for the viewer."
        ),
        .init(
            "gone",
            .array(id, maxItems: 500),
            required: true,
            "The stories that are no longer visible; delete them."
        ),
        .init("marks", marks, "With the last page: the caller's own marks, if they changed since the last sync."),
        .init(
            "collections",
            .array(collection, maxItems: SyncedCollection.limit),
            "With the last page: all collections that the caller may see, if they changed since the last sync."
        ),
        .init("next", .text(minBytes: 1, maxBytes: 120), required: true, "The value of since for the next request."),
        .init("more", .boolean, required: true, "Whether this sync has further pages."),
        .init("synced_at", instant, required: true, "The time up to which this sync brings the client."),
        .init("last_synced_at", .nullable(instant), required: true, "The synced_at of the previous sync."),
        .init("links", .array(.named("Link"), maxItems: 1), required: true, "A link to the next page."),
    ])

    private static let collection = Schema.object([
        .init("id", id, required: true),
        .init("title", .text(minBytes: 1, maxBytes: StoryLimits.nameLength), required: true),
        .init("text", .nullable(.text(maxBytes: StoryLimits.collectionTextLength)), required: true),
        .init("owner", .text(minBytes: 1, maxBytes: StoryLimits.nameLength), required: true),
        .init("privacy", .word(Privacy.allCases.map(\.rawValue)), required: true),
        .init("family", .nullable(.text(minBytes: 1, maxBytes: StoryLimits.nameLength)), required: true),
        .init("created_at", instant, required: true),
        .init(
            "order",
            .array(id, maxItems: StoryLimits.tripLength),
            required: true,
            "The stories that have a place in its order; the others follow by date."
        ),
    ])

    private static let marks = Schema.object([
        .init("favourites", .array(id, maxItems: StoryLimits.favouriteCount), "All favourites that they may see."),
        .init("hidden", .array(id, maxItems: StoryLimits.hiddenCount), "All stories that they hid and may see."),
        .init("viewed", .array(id, maxItems: StoryMarks.viewedCount), "The stories viewed last that they may see."),
    ])

    private static let package = Schema.object([
        .init("bbox", .named("Box"), required: true),
        .init("zoom", .integer(0...24), required: true),
        .init("generated_at", instant, required: true),
        .init("stories", .named("StoryCollection"), required: true, "The newest stories in the box."),
        .init(
            "clusters",
            .array(.named("ClusterCollection"), maxItems: PackageService.levelLimit),
            required: true,
            "The map at this zoom and the next ones."
        ),
        .init("monitoring", .word(["on", "off"]), required: true, "off: the viewer has not opted in or is anonymous."),
        .init(
            "fences",
            .array(.named("PackagedFence"), maxItems: 500),
            required: true,
            "The fences around those stories."
        ),
    ])

    private static let fence = Schema.object([
        .init("place_id", .text(maxBytes: 20), required: true),
        .init("lat", .number(-90...90), required: true), .init("lon", .number(-180...180), required: true),
        .init("radius", .number(1...100_000), required: true, "The radius in metres."),
        .init(
            "count",
            .integer(1...Int(Int32.max)),
            required: true,
            "The number of stories there that the viewer wants to be notified of."
        ),
    ])
}

extension BatchItem.Operation {
    /// Returns the schema violations of an item with this operation, as its component of the document declares it.
    func problems(in item: JSONValue) -> [FieldProblem] {
        let name =
            switch self {
            case .create: "BatchCreate"
            case .update: "BatchUpdate"
            case .delete: "BatchDelete"
            case .favourite, .unfavourite, .hide, .unhide, .view: "BatchMark"
            case .createCollection: "BatchCollectionCreate"
            case .deleteCollection: "BatchCollectionDelete"
            case .orderCollection: "BatchCollectionOrder"
            }
        return ServiceSchemas.byName[name]?.problems(in: item, components: ServiceSchemas.byName) ?? []
    }
}
