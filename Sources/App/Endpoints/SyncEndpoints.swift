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
                Applies a client's offline changes in order: creations, updates and deletions of the caller's stories, \
                the caller's marks on any story: favourites, hidden and viewed stories, and the caller's collections: \
                new ones, their ends and their orders. \
                Each item has its own outcome. Repeating the request is harmless.
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
                    description: "The outcome of each item, in the given order. Everything is stored."
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

    private static let since = QueryParameter.optional("since", .text(1...120), "The next value of the last answer.")
    private static let changeLimit = Paging.limit(
        1...500,
        default: 200,
        "The maximum number of stories and ids on a page"
    )
    private static let packageLimit = Paging.limit(50...500, default: 100, "The maximum number of stories")

    private var changes: Endpoint {
        Endpoint(
            method: .get,
            path: "/v1/changes",
            name: "listChanges",
            summary: """
                Returns the stories that are new or changed for the viewer since the last sync, and the ids of those \
                that are gone; without since, all stories. While more is true, continue with next; then keep next for \
                the following sync. The last page has the caller's own marks: each list of them that changed since, \
                whole, in place of the one before; and the collections that they may see, all of them, if any changed.
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
                    description: "A page. Repeated stories are harmless: the later version counts."
                )
            ],
            handler: { call in
                let codec = SyncCursorCodec(keys: library.store.keys, now: library.now)
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
                Returns a region for offline use: its newest stories, its clusters at this zoom and deeper ones, and \
                the fences around those stories.
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
                    description: "The package. Its ETag changes with everything in it except generated_at."
                )
            ],
            refusals: [
                .init(
                    status: .tooManyRequests,
                    description: "Too many requests, or the maximum number of the caller's packages are being created."
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
