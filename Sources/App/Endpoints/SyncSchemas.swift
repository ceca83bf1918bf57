import Web
import Library
import Formats
import Stories

/// The schemas of the routes for clients that were offline.
enum SyncSchemas: Sendable {
    static let all: [(name: String, schema: Schema)] = [
        ("StoryBatch", batch), ("BatchCreate", create), ("BatchUpdate", update), ("BatchDelete", delete),
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
                .judgedLater(.either([.named("BatchCreate"), .named("BatchUpdate"), .named("BatchDelete")])),
                maxItems: SyncEndpoints.batchLimit
            ),
            required: true,
            "Done in this order; an item that is wrong is refused by itself."
        )
    ])

    private static let address: [Schema.Member] = [
        .init("id", .identifier, "The story; or give client_id."),
        .init("client_id", clientID, "The client's own id of the story."),
        .init("if_match", tag, "The ETag of the version the client has; another one is a conflict."),
    ]

    private static let create = Schema.object([
        .init("op", .constant("create"), required: true),
        .init("client_id", clientID, "The client's own id: what makes a repetition harmless."),
        .init("story", .named("StoryInput"), required: true),
    ])

    private static let update = Schema.object(
        [.init("op", .constant("update"), required: true)] + address
            + [.init("story", .named("StoryPatch"), required: true, "The fields that change; null clears one.")]
    )

    private static let delete = Schema.object([.init("op", .constant("delete"), required: true)] + address)

    private static let answer = Schema.object([
        .init("items", .array(outcome, maxItems: SyncEndpoints.batchLimit), required: true)
    ])

    private static let outcome = Schema.object([
        .init("index", .integer(0...SyncEndpoints.batchLimit), required: true),
        .init("outcome", .word(BatchOutcome.Kind.allCases.map(\.rawValue)), required: true),
        .init("id", .nullable(id), required: true),
        .init("client_id", .nullable(clientID), required: true),
        .init("etag", .nullable(tag), required: true, "The story's ETag as it is now."),
        .init("current", .nullable(tag), "With conflict: the ETag of the current version, which was left as it is."),
        .init("reason", .text(maxBytes: 40), "With conflict and refused: a word for programs."),
        .init(
            "errors",
            .array(
                .object([
                    .init("field", .text(maxBytes: 400), required: true),
                    .init("message", .text(maxBytes: 1_000), required: true),
                ])
            )
        ),
        .init("duplicate_of", .array(id, maxItems: 20), "Others of the caller's stories with the same media_sha256."),
    ])

    private static let changes = Schema.object([
        .init("changed", .array(.named("Story"), maxItems: 500), required: true, "New or different for the viewer."),
        .init("gone", .array(id, maxItems: 500), required: true, "Not to be seen any more; forget them."),
        .init("next", .text(minBytes: 1, maxBytes: 100), required: true, "The since of the next request."),
        .init("more", .boolean, required: true, "Whether this sync has further pages."),
        .init("synced_at", instant, required: true, "The instant that this sync brings the client up to."),
        .init("last_synced_at", .nullable(instant), required: true, "That of the sync before."),
        .init("links", .array(.named("Link"), maxItems: 1), required: true, "next, as an address."),
    ])

    private static let package = Schema.object([
        .init("bbox", .named("Box"), required: true),
        .init("zoom", .integer(0...24), required: true),
        .init("generated_at", instant, required: true),
        .init("stories", .named("StoryCollection"), required: true, "The newest in the box."),
        .init(
            "clusters",
            .array(.named("ClusterCollection"), maxItems: PackageService.levelLimit),
            required: true,
            "The map at this zoom and the next ones."
        ),
        .init("monitoring", .word(["on", "off"]), required: true, "off: the viewer has not opted in, or is nobody."),
        .init("fences", .array(.named("PackagedFence"), maxItems: 500), required: true, "Around those stories."),
    ])

    private static let fence = Schema.object([
        .init("place_id", .text(maxBytes: 20), required: true),
        .init("lat", .number(-90...90), required: true), .init("lon", .number(-180...180), required: true),
        .init("radius", .number(1...100_000), required: true, "Metres."),
        .init("count", .integer(1...Int(Int32.max)), required: true, "Stories there that the viewer wants to hear of."),
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
            }
        return ServiceSchemas.byName[name]?.problems(in: item, components: ServiceSchemas.byName) ?? []
    }
}
