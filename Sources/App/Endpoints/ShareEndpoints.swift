import Web
import Library
import Formats
import HTTPTypes
import Stories

/// The routes by which users share a story or a collection through a link, and revoke it.
struct ShareEndpoints: Sendable {
    let library: StoryLibrary
    let address: PublicAddress

    var all: [Endpoint] { [list, share, revoke] }

    private var list: Endpoint {
        Endpoint(
            method: .get,
            path: "/v1/me/share-links",
            name: "listShareLinks",
            summary: """
                Returns the caller's links to shared stories (at most \(StoryLimits.shareCount)), newest first, \
                without their secrets.
                """,
            access: .user,
            scope: .storiesRead,
            success: [SessionEndpoints.json("ShareLinkList", "The links that have not expired.")],
            handler: { call in
                Answer(body: ShareJSON.list(try await library.sharing.links(of: try call.user)))
            }
        )
    }

    private var share: Endpoint {
        Endpoint(
            method: .post,
            path: "/v1/me/share-links",
            name: "share",
            summary: """
                Makes a link that shows one of the caller's stories, or the caller's stories in one of their \
                collections, to everybody who has the link. Private stories of a collection are left out.
                """,
            access: .user,
            scope: .storiesWrite,
            cost: .normal,
            body: .init(schema: "ShareInput", maxBytes: 4_096),
            success: [
                SessionEndpoints.json("NewShareLink", "The link; its secret is shown only here.", status: .created)
            ],
            handler: { call in
                let made = try await library.sharing.share(
                    try subject(of: call),
                    precision: call.body?["precision"]?.string.flatMap { SharePrecision(rawValue: $0) } ?? .approximate,
                    days: call.body?["days"]?.integer ?? StoryLimits.usualShareDays,
                    by: try call.user
                )
                return Answer(
                    status: .created,
                    headers: [.location: "/v1/me/share-links/\(made.view.link.id)"],
                    body: ShareJSON.made(made.view, secret: made.secret, origin: address.url)
                )
            }
        )
    }

    /// Returns what the body shares.
    ///
    /// - Throws: ``Problem`` unless it names either a story or a collection.
    private func subject(of call: Call) throws -> ShareSubject {
        let story = call.body?["story"]?.string.flatMap { StoryID($0) }
        let collection = call.body?["collection"]?.string.flatMap { CollectionID($0) }
        switch (story, collection) {
        case (let story?, nil): return .story(story)
        case (nil, let collection?): return .collection(collection)
        default: throw Problem.body([FieldProblem(field: "", message: "must name either a story or a collection")])
        }
    }

    private var revoke: Endpoint {
        Endpoint(
            method: .delete,
            path: "/v1/me/share-links/\(PathPart.shareLink)",
            name: "revokeShareLink",
            summary: "Revokes one of the caller's links immediately; nobody gets anything through it any more.",
            access: .user,
            scope: .storiesWrite,
            success: [AccountEndpoints.nothing("The link has ended.")],
            handler: { call in
                try await library.sharing.revoke(try call[PathPart.shareLink], of: try call.user)
                return .noContent
            }
        )
    }
}

/// The schemas of share links.
enum ShareSchemas: Sendable {
    static let all: [(name: String, schema: Schema)] = [
        ("ShareInput", input), ("ShareLink", .object(link)), ("ShareLinkList", list), ("NewShareLink", made),
        ("SharedSubject", shared),
    ]

    private static let title = Schema.text(maxBytes: StoryLimits.mostBytes(characters: StoryLimits.titleLength))
    private static let instant = Schema.text(minBytes: 20, maxBytes: 40, format: "date-time")
    private static let precision = Schema.word(SharePrecision.allCases.map(\.rawValue))
    private static let count = Schema.integer(0...Int(Int32.max))
    private static let linkID = Schema.text(minBytes: 16, maxBytes: 16)

    private static let input = Schema.object([
        .init("story", .hexID, "A story of the caller; either this or collection."),
        .init("collection", .hexID, "A collection of the caller."),
        .init(
            "precision",
            precision,
            """
            The coarsest precision of every place behind the link: exact leaves each story's own, approximate shows at \
            most a cell of 0.01 degrees, hidden shows no place (default approximate).
            """
        ),
        .init(
            "days",
            .integer(1...StoryLimits.shareDays),
            "The number of days until the link ends by itself (default \(StoryLimits.usualShareDays))."
        ),
    ])

    private static let link: [Schema.Member] = [
        .init("id", linkID, required: true),
        .init("story", .nullable(.hexID), required: true), .init("collection", .nullable(.hexID), required: true),
        .init("title", .nullable(title), required: true, "The title; null if the collection is gone."),
        .init("story_count", count, required: true, "The number of stories that it shows at present."),
        .init("precision", precision, required: true), .init("created_at", instant, required: true),
        .init("expires_at", instant, required: true),
        .init(
            "last_used_on",
            .nullable(.text(minBytes: 10, maxBytes: 10, format: "date")),
            required: true,
            "The day, in UTC, of the last use; nothing else is kept about it."
        ),
    ]

    private static let list = Schema.object([
        .init("links", .array(.named("ShareLink"), maxItems: StoryLimits.shareCount), required: true)
    ])

    private static let made = Schema.object(
        link + [
            .init(
                "secret",
                .text(minBytes: 1, maxBytes: 100),
                required: true,
                "Read the routes below /v1/shared with it as the bearer token."
            ),
            .init("url", .text(minBytes: 1, maxBytes: 1_000), required: true, "The address to send."),
        ]
    )

    private static let shared = Schema.object([
        .init("type", .word(["story", "collection"]), required: true),
        .init("title", title, required: true),
        .init("owner", .identifier, required: true),
        .init("owner_name", .nullable(.text(minBytes: 1, maxBytes: StoryLimits.nameLength)), required: true),
        .init("precision", precision, required: true), .init("story_count", count, required: true),
        .init("expires_at", instant, required: true),
    ])
}
