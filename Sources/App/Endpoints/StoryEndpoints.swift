import Web
import Library
import Formats
import HTTPTypes
import Stories

/// The routes of single stories and their lists.
struct StoryEndpoints: Sendable {
    let library: StoryLibrary
    let cursors: CursorCodec

    /// The maximum length of a story's body in bytes: the longest text with every character escaped, plus the rest.
    private static let bodyLimit = 6 * StoryLimits.textLength + 400_000

    /// The maximum number of stories that a request can name.
    private static let mostIDs = 100
    static let ids = QueryParameter.list(
        "ids",
        .id("ids of stories") { StoryID($0) },
        most: mostIDs,
        things: "stories",
        "Only these stories, at most \(mostIDs). Those not visible to the viewer are omitted."
    )

    var all: [Endpoint] { [list, create, read, change, delete, setLocation, removeLocation] }

    private static let story = Endpoint.Success(
        status: .ok,
        mediaType: MediaType.json,
        schema: .named("Story"),
        description: "The story."
    )
    private static let gone = Endpoint.Success(
        status: .noContent,
        mediaType: MediaType.json,
        schema: nil,
        description: "Success."
    )

    private var list: Endpoint {
        Endpoint(
            method: .get,
            path: "/v1/stories",
            name: "listStories",
            summary: """
                Returns the stories visible to the viewer, newest first, or with q the best matches first, unless sorted \
                otherwise. Without bbox, includes those without a location.
                """,
            access: .anyone,
            scope: .storiesRead,
            cost: .normal,
            caching: .revalidate,
            parameters: [
                BoxParameter.optional, StoryEndpoints.ids, StoryFilters.all, ListOrders.parameters,
                StoryPages.parameters,
            ],
            success: [
                .init(
                    status: .ok,
                    mediaType: MediaType.geoJSON,
                    schema: .named("StoryCollection"),
                    description: "A GeoJSON FeatureCollection."
                )
            ],
            handler: handleList
        )
    }

    @Sendable private func handleList(_ call: Call) async throws -> Answer {
        var search = try call[StoryFilters.all]
        let ids = try call[StoryEndpoints.ids]
        search.ids = ids.isEmpty ? nil : Set(ids)
        let scope = cursors.scope(of: call)
        var window = try StoryPages.window(call, cursors, scope: scope, in: BoxParameter.optional)
        try call[ListOrders.parameters](&window)
        let list = try await library.maps.stories(window, search: search, viewer: call.viewer)
        return cursors.answer(list, to: call, scope: scope)
    }

    private var create: Endpoint {
        Endpoint(
            method: .post,
            path: "/v1/stories",
            name: "createStory",
            summary: "Creates a story of the caller.",
            access: .user,
            scope: .storiesWrite,
            cost: .normal,
            headers: [.idempotencyKey],
            body: .init(schema: "StoryInput", maxBytes: StoryEndpoints.bodyLimit, isJudgedByHandler: true),
            success: [
                .init(
                    status: .created,
                    mediaType: MediaType.json,
                    schema: .named("Story"),
                    description: "The new story."
                ),
                .init(
                    status: .ok,
                    mediaType: MediaType.json,
                    schema: .named("Story"),
                    description: "The story created earlier with this client_id."
                ),
            ],
            refusals: [
                .init(status: .conflict, description: "The client_id belongs to a story with different content."),
                .init(status: .gone, description: "The story created with this client_id has been deleted."),
            ],
            handler: { call in
                let creation = try await library.stories.create(
                    call.body ?? .null,
                    knownProblems: call.bodyProblems,
                    owner: try call.user,
                    requestKey: try call.idempotencyKey
                )
                switch creation {
                case .created(let id):
                    var answer = try await written(id, call: call)
                    answer.status = .created
                    answer.headers[.location] = "/v1/stories/\(id)"
                    return answer
                case .existing(let id):
                    return try await written(id, call: call)
                }
            }
        )
    }

    private var read: Endpoint {
        Endpoint(
            method: .get,
            path: "/v1/stories/\(PathPart.story)",
            name: "readStory",
            summary: "Returns a story.",
            access: .anyone,
            scope: .storiesRead,
            caching: .revalidate,
            success: [StoryEndpoints.story],
            handler: { call in
                try .story(try await library.stories.story(try call[PathPart.story], viewer: call.viewer))
            }
        )
    }

    private var change: Endpoint {
        Endpoint(
            method: .patch,
            path: "/v1/stories/\(PathPart.story)",
            name: "changeStory",
            summary: "Updates the given fields of the caller's story; null clears a field (RFC 7396).",
            access: .user,
            scope: .storiesWrite,
            headers: [.ifMatch],
            body: .init(schema: "StoryPatch", maxBytes: StoryEndpoints.bodyLimit, isJudgedByHandler: true),
            success: [StoryEndpoints.story],
            handler: { call in
                let id = try call[PathPart.story]
                let body = call.body ?? .null
                try await library.stories.patch(
                    id,
                    with: body,
                    knownProblems: call.bodyProblems,
                    by: call.principal,
                    precondition: call.precondition(.stories)
                )
                return try await changed(id, call: call)
            }
        )
    }

    private var delete: Endpoint {
        Endpoint(
            method: .delete,
            path: "/v1/stories/\(PathPart.story)",
            name: "deleteStory",
            summary: "Deletes the caller's story.",
            access: .user,
            scope: .storiesWrite,
            headers: [.ifMatch],
            success: [StoryEndpoints.gone],
            handler: { call in
                try await library.stories.delete(
                    try call[PathPart.story],
                    by: call.principal,
                    precondition: call.precondition(.stories)
                )
                return .noContent
            }
        )
    }

    private var setLocation: Endpoint {
        Endpoint(
            method: .put,
            path: "/v1/stories/\(PathPart.story)/location",
            name: "setLocation",
            summary: """
                Sets the location of the caller's story. Unless given, the precision of the previous location is kept. \
                A location extracted by a program awaits the owner's confirmation; the answer is then 202.
                """,
            access: .user,
            scope: .storiesWrite,
            headers: [.ifMatch],
            body: .init(schema: "LocationInput", maxBytes: 16_384, isJudgedByHandler: true),
            success: [
                StoryEndpoints.story,
                .init(
                    status: .accepted,
                    mediaType: MediaType.json,
                    schema: .named("Story"),
                    description:
                        "The unchanged story. The location awaits confirmation in GET /v1/me/location-proposals."
                ),
            ],
            refusals: [
                .init(
                    status: .conflict,
                    description: "An extracted location does not replace one set in another way, removed or rejected."
                )
            ],
            handler: { call in
                let id = try call[PathPart.story]
                let body = call.body ?? .null
                let outcome = try await library.stories.change(
                    id,
                    by: call.principal,
                    precondition: call.precondition(.stories)
                ) { story, _ in
                    var reading = LocationInput(body: body).whole(for: story)
                    reading.problems = StoryEndpoints.advising(call.bodyProblems, of: body).adding(reading.problems)
                    story.location = library.maps.derivingNames(try reading.get())
                }
                let answer = try await changed(id, call: call)
                return outcome.isProposal ? answer.with(.accepted) : answer
            }
        )
    }

    /// Returns the problems of a body; if it has no position at all, they name the request that needs none.
    private static func advising(_ problems: [FieldProblem], of body: JSONValue) -> [FieldProblem] {
        guard body["lat"] == nil, body["lon"] == nil, body.object?.isEmpty == false else { return problems }
        return problems.map { problem in
            guard ["lat", "lon"].contains(problem.field) else { return problem }
            let advice = "is missing; to keep the position, send the other fields as location in PATCH /v1/stories/{id}"
            return FieldProblem(field: problem.field, message: advice)
        }
    }

    private var removeLocation: Endpoint {
        Endpoint(
            method: .delete,
            path: "/v1/stories/\(PathPart.story)/location",
            name: "removeLocation",
            summary: "Removes the caller's story from every map but keeps the story.",
            access: .user,
            scope: .storiesWrite,
            headers: [.ifMatch],
            success: [StoryEndpoints.gone],
            handler: { call in
                try await library.stories.change(
                    try call[PathPart.story],
                    by: call.principal,
                    precondition: call.precondition(.stories)
                ) { story, _ in story.location = nil }
                return .noContent
            }
        )
    }

    private func written(_ id: StoryID, call: Call) async throws -> Answer {
        try .story(try await library.stories.writtenStory(id, viewer: call.viewer))
    }

    private func changed(_ id: StoryID, call: Call) async throws -> Answer {
        try .story(try await library.stories.changedStory(id, by: call.principal))
    }
}

extension Call {
    /// The client's `Idempotency-Key`, 1–255 bytes, or `nil`.
    var idempotencyKey: String? {
        get throws {
            guard let key = headers[.idempotencyKey] else { return nil }
            guard (1...255).contains(key.utf8.count) else {
                throw Problem(.badRequest, "bad-header", "The Idempotency-Key must have 1 to 255 bytes.")
            }
            return key
        }
    }
}
