import Web
import Library
import Formats
import HTTPTypes
import Storage
import Stories

/// The routes for clients that were offline.
struct SyncEndpoints: Sendable {
    let library: StoryLibrary

    var all: [Endpoint] { [batch, changes, package] }

    /// The maximum number of items in a batch.
    static let batchLimit = 500
    /// The maximum length of a batch in bytes.
    static let batchLength = 8 << 20

    private var batch: Endpoint {
        Endpoint(
            method: .post,
            path: "/v1/stories/batch",
            name: "sendBatch",
            summary: """
                What a client did while it was offline, in order: creations, changes and deletions of the caller's \
                stories. Every item answers for itself; a repetition is harmless.
                """,
            access: .user,
            scope: .storiesWrite,
            cost: .heavy,
            headers: [.idempotencyKey],
            body: .init(schema: "StoryBatch", maxBytes: SyncEndpoints.batchLength),
            success: [
                .init(
                    status: .ok,
                    mediaType: MediaType.json,
                    schema: .named("BatchAnswer"),
                    description: "What became of every item, in the order given; all of it is stored."
                )
            ],
            handler: { call in
                let answer = try await library.sync.batches.perform(
                    call.body?["items"]?.array ?? [],
                    of: try call.user,
                    by: .init(principal: call.principal, versions: .stories, write: BatchJSON.outcome),
                    requestKey: try call.idempotencyKey,
                    check: { $1.problems(in: $0) }
                )
                return Answer(body: answer)
            }
        )
    }

    private static let since = QueryParameter.optional("since", .text(1...100), "The next of the last answer.")
    private static let changeLimit = Paging.limit(1...500, default: 200, "The most stories and ids on a page;")
    private static let packageLimit = Paging.limit(50...500, default: 100, "The most stories;")

    private var changes: Endpoint {
        Endpoint(
            method: .get,
            path: "/v1/changes",
            name: "listChanges",
            summary: """
                Stories that are new or different for the viewer since their last sync, and the ids of those that are \
                gone; without since everything. Go on with next while more is true, and keep it for the next sync.
                """,
            access: .anyone,
            scope: .storiesRead,
            cost: .normal,
            parameters: [SyncEndpoints.since, SyncEndpoints.changeLimit],
            success: [
                .init(
                    status: .ok,
                    mediaType: MediaType.json,
                    schema: .named("ChangePage"),
                    description: "A page. What is told twice is harmless: the later version counts."
                )
            ],
            handler: { call in
                let codec = SyncCursorCodec(secret: library.store.keys[.cursors])
                let viewer = call.viewer
                var cursor: SyncCursor?
                if let text = try call[SyncEndpoints.since] {
                    cursor = codec.decode(text, viewer: viewer)
                    guard cursor != nil else {
                        throw SyncEndpoints.since.invalid(
                            "is not a cursor that was given out for you; begin without it"
                        )
                    }
                }
                let (changes, page) = try await library.sync.changes.read(
                    since: cursor,
                    viewer: viewer,
                    limit: try call[SyncEndpoints.changeLimit],
                    to: ChangesJSON()
                )
                return Answer(body: page.page(changes, next: codec.encode(changes.next, viewer: viewer)))
            }
        )
    }

    private var package: Endpoint {
        Endpoint(
            method: .get,
            path: "/v1/offline-package",
            name: "offlinePackage",
            summary: """
                A region to take along: its newest stories, its clusters at this zoom and deeper ones, and the fences \
                around those stories.
                """,
            access: .anyone,
            scope: .storiesRead,
            cost: .heavy,
            caching: .revalidate,
            parameters: [ViewportParameters.plain, SyncEndpoints.packageLimit],
            success: [
                .init(
                    status: .ok,
                    mediaType: MediaType.json,
                    schema: .named("OfflinePackage"),
                    description: "The package. Its ETag changes with anything in it but generated_at."
                )
            ],
            refusals: [
                .init(
                    status: .tooManyRequests,
                    description: "Too many requests, or as many packages of the caller are being made as there may be."
                )
            ],
            handler: { call in
                let (window, limit) = (try call[ViewportParameters.plain], try call[SyncEndpoints.packageLimit])
                let share = try library.sync.packages.shares.take(user: call.viewer.user, address: call.sharedAddress)
                return try await LongWork.run(for: call.client) {
                    defer { withExtendedLifetime(share) {} }
                    let package = try await library.sync.packages.offlinePackage(
                        box: window.box,
                        zoom: window.zoom,
                        limit: limit,
                        pixelLimit: ViewportParameters.pixelLimit,
                        viewer: call.viewer,
                        markersWrittenBy: MarkerJSON.append
                    )
                    let json = PackageJSON(package)
                    return Answer(headers: [.eTag: EntityTag.strong(json.version)], body: json.document)
                }
            }
        )
    }
}
