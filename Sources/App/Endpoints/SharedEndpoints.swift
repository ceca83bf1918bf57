import Web
import Library
import Formats
import HTTPTypes
import Stories

/// The routes for the holders of share links: the map and the lists of the stories behind the link, and nothing else.
///
/// Each answers as the route of the same name without `/shared` would if the service contained only these stories, all
/// of them public and each placed as the link shows it. Their only credential is the link's secret; a link's secret is
/// accepted nowhere else. No answer may be stored, because a copy could outlive the link.
struct SharedEndpoints: Sendable {
    let library: StoryLibrary
    let cursors: CursorCodec

    var all: [Endpoint] { [subject, list, read, picture] + maps + lists + counts }

    /// Returns a route for the holders of links, which reads what the link shows.
    func route(
        _ path: String,
        _ name: String,
        _ summary: String,
        cost: Endpoint.Cost = .normal,
        parameters: ParameterList = [],
        mediaType: String = MediaType.json,
        schema: Schema?,
        _ description: String,
        _ answer: @escaping @Sendable (_ map: SharedMap, _ call: Call) async throws -> Answer
    ) -> Endpoint {
        Endpoint(
            method: .get,
            path: "/v1/shared" + path,
            name: name,
            summary: summary,
            access: .link,
            cost: cost,
            parameters: parameters,
            success: [.init(status: .ok, mediaType: mediaType, schema: schema, description: description)],
            handler: { call in try await answer(try await library.sharing.map(of: try call.link), call) }
        )
    }

    private var subject: Endpoint {
        route(
            "",
            "readShared",
            "Returns what the link shows, and how long.",
            schema: .named("SharedSubject"),
            "The story or the collection."
        ) { map, _ in Answer(body: ShareJSON.subject(map)) }
    }

    private var list: Endpoint {
        route(
            "/stories",
            "listSharedStories",
            "Returns the stories behind the link, newest first, or with q the best matches first, unless sorted otherwise.",
            parameters: [
                BoxParameter.optional, StoryEndpoints.ids, StoryFilters.all, ListOrders.parameters,
                StoryPages.parameters,
            ],
            mediaType: MediaType.geoJSON,
            schema: .named("StoryCollection"),
            "A GeoJSON FeatureCollection."
        ) { [cursors] map, call in
            var search = try call[StoryFilters.all]
            let ids = try call[StoryEndpoints.ids]
            search.ids = ids.isEmpty ? nil : Set(ids)
            let scope = cursors.scope(of: call)
            var window = try StoryPages.window(call, cursors, scope: scope, in: BoxParameter.optional)
            try call[ListOrders.parameters](&window)
            return cursors.answer(try await map.stories(window, search: search), to: call, scope: scope)
        }
    }

    private var read: Endpoint {
        route(
            "/stories/\(PathPart.story)",
            "readSharedStory",
            "Returns a story behind the link.",
            schema: .named("Story"),
            "The story."
        ) { map, call in
            guard let view = try await map.story(try call[PathPart.story]) else { throw Problem.notFound }
            return Answer(body: StoryJSON.object(view))
        }
    }

    private var picture: Endpoint {
        Endpoint(
            method: .get,
            path: "/v1/shared/stories/\(PathPart.story)/thumbnail",
            name: "readSharedThumbnail",
            summary: "Returns the picture of a story behind the link. 404: it has none, or the link does not show it.",
            access: .link,
            parameters: [PictureEndpoints.version],
            success: [.init(status: .ok, mediaType: MediaType.jpeg, schema: nil, description: "The picture.")],
            handler: { call in
                let id = try call[PathPart.story]
                guard let bytes = try await library.sharing.picture(of: id, through: try call.link) else {
                    throw Problem.notFound
                }
                return Answer(mediaType: StoryPicture.mediaType, body: bytes)
            }
        )
    }
}
