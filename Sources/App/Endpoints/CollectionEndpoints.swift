import Web
import Library
import Formats
import HTTPTypes
import Stories

/// The routes of collections and of favourites.
struct CollectionEndpoints: Sendable {
    let library: StoryLibrary

    var all: [Endpoint] { [list, create, read, delete, stories, order, favourite, unfavourite] }

    static func json(
        _ name: String,
        _ description: String,
        status: HTTPResponse.Status = .ok
    ) -> Endpoint.Success {
        .init(status: status, mediaType: MediaType.json, schema: .named(name), description: description)
    }

    static let done = Endpoint.Success(
        status: .noContent,
        mediaType: MediaType.json,
        schema: nil,
        description: "Success."
    )

    private var list: Endpoint {
        Endpoint(
            method: .get,
            path: "/v1/collections",
            name: "listCollections",
            summary: """
                Returns the trips and other collections visible to the viewer, newest first, with the number of their \
                stories that the viewer may see.
                """,
            access: .anyone,
            scope: .storiesRead,
            cost: .normal,
            caching: .revalidate,
            parameters: TimedPages.parameters,
            success: [CollectionEndpoints.json("CollectionPage", "A page.")],
            handler: { call in
                let limit = try call[TimedPages.limit]
                let position = try TimedPage<CollectionView>.position(in: call)
                // One item more than the page needs shows whether there is another page.
                let views = try await library.collections.collections(
                    visibleTo: call.viewer,
                    after: position.map { (Timestamp(milliseconds: $0.time), $0.id) },
                    limit: limit + 1
                )
                let page = try TimedPage(of: views, newestFirst: true, call: call) {
                    ($0.collection.createdAt, $0.collection.id.rawValue)
                }
                return Answer(body: page.json("collections") { CollectionJSON.write($0, to: &$1) })
            }
        )
    }

    private var create: Endpoint {
        Endpoint(
            method: .post,
            path: "/v1/collections",
            name: "createCollection",
            summary: """
                Creates a collection. It contains the caller's stories that name its title and, if it is for one \
                family, those of the family.
                """,
            access: .user,
            scope: .storiesWrite,
            body: .init(schema: "CollectionInput", maxBytes: 32_768),
            success: [CollectionEndpoints.json("Collection", "The new collection.", status: .created)],
            handler: { call in
                let made = try await library.collections.addCollection(call.body ?? .null, owner: try call.user)
                let view = try await library.collections.collection(made.id, visibleTo: call.viewer)
                var answer = Answer(status: .created, body: CollectionJSON.json(view))
                answer.headers[.location] = "/v1/collections/\(made.id)"
                return answer
            }
        )
    }

    private var read: Endpoint {
        Endpoint(
            method: .get,
            path: "/v1/collections/\(PathPart.collection)",
            name: "readCollection",
            summary: "Returns a collection.",
            access: .anyone,
            scope: .storiesRead,
            caching: .revalidate,
            success: [CollectionEndpoints.json("Collection", "The collection.")],
            handler: { call in
                let view = try await library.collections.collection(
                    try call[PathPart.collection],
                    visibleTo: call.viewer
                )
                return Answer(body: CollectionJSON.json(view))
            }
        )
    }

    private var delete: Endpoint {
        Endpoint(
            method: .delete,
            path: "/v1/collections/\(PathPart.collection)",
            name: "deleteCollection",
            summary: "Deletes the caller's collection. Its stories are unchanged.",
            access: .user,
            scope: .storiesWrite,
            success: [CollectionEndpoints.done],
            handler: { call in
                try await library.collections.removeCollection(try call[PathPart.collection], by: call.principal)
                return .noContent
            }
        )
    }

    private var favourite: Endpoint {
        Endpoint(
            method: .put,
            path: "/v1/stories/\(PathPart.story)/favourite",
            name: "favouriteStory",
            summary: """
                Adds a story to the caller's favourites, which only the caller sees. The filter favourites selects \
                them.
                """,
            access: .user,
            scope: .storiesWrite,
            success: [CollectionEndpoints.done],
            handler: { call in
                try await library.marks.setFavourite(true, try call[PathPart.story], for: try call.user)
                return .noContent
            }
        )
    }

    private var unfavourite: Endpoint {
        Endpoint(
            method: .delete,
            path: "/v1/stories/\(PathPart.story)/favourite",
            name: "unfavouriteStory",
            summary: "Removes a story from the caller's favourites.",
            access: .user,
            scope: .storiesWrite,
            success: [CollectionEndpoints.done],
            handler: { call in
                try await library.marks.setFavourite(false, try call[PathPart.story], for: try call.user)
                return .noContent
            }
        )
    }
}
