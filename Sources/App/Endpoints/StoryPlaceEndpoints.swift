import Formats
import HTTPTypes
import Library
import Stories
import StoryMap
import Web

/// The routes of the places that stories have besides their location (LOC-10).
struct StoryPlaceEndpoints: Sendable {
    let library: StoryLibrary
    let cursors: CursorCodec

    var all: [Endpoint] { [list, add, change, remove, confirm, reject, waiting] }

    /// The longest shape, with room for white space, and the names.
    private static let bodyLimit = 200_000
    private static let limit = Paging.limit(1...100, default: 20, "The maximum number of places on a page")
    private static let path = "/v1/stories/\(PathPart.story)/places/\(PathPart.storyPlace)"

    private static let gone = Endpoint.Success(
        status: .noContent,
        mediaType: MediaType.json,
        schema: nil,
        description: "Success."
    )

    private static func story(
        _ status: HTTPResponse.Status,
        _ description: String,
        schema: String = "Story"
    ) -> Endpoint.Success {
        .init(status: status, mediaType: MediaType.json, schema: .named(schema), description: description)
    }

    private var list: Endpoint {
        Endpoint(
            method: .get,
            path: "/v1/stories/\(PathPart.story)/places",
            name: "listStoryPlaces",
            summary: """
                Returns the places of a story besides its location, as far as the viewer may see them, in the order in \
                which they come up. Its owner also gets those that wait for confirmation.
                """,
            access: .anyone,
            scope: .storiesRead,
            caching: .revalidate,
            success: [
                .init(
                    status: .ok,
                    mediaType: MediaType.json,
                    schema: .named("StoryPlaces"),
                    description: "The places."
                )
            ],
            handler: { call in
                guard let view = try await library.stories.story(try call[PathPart.story], viewer: call.viewer) else {
                    throw Problem.notFound
                }
                var json = JSONWriter(capacity: 1_024)
                json.beginObject()
                json.key("places")
                PlaceJSON.write(view.places, to: &json)
                json.endObject()
                return Answer(headers: [.eTag: EntityTag.strong(json.bytes)], body: json.bytes)
            }
        )
    }

    private var add: Endpoint {
        Endpoint(
            method: .post,
            path: "/v1/stories/\(PathPart.story)/places",
            name: "addStoryPlace",
            summary: """
                Adds a place to the caller's story: a point by lat and lon, or a point, a line or an area by geometry. \
                One that a program extracted awaits the owner's confirmation; the answer is then 202. story_place and Location \
                name the place.
                """,
            access: .user,
            scope: .storiesWrite,
            cost: .normal,
            headers: [.ifMatch],
            body: .init(
                schema: "StoryPlaceInput",
                maxBytes: StoryPlaceEndpoints.bodyLimit,
                isJudgedByHandler: true
            ),
            success: [
                StoryPlaceEndpoints.story(.created, "The story with its new place.", schema: "StoryWithPlace"),
                StoryPlaceEndpoints.story(
                    .ok,
                    "The story, of which a program extracted this place before.",
                    schema: "StoryWithPlace"
                ),
                StoryPlaceEndpoints.story(
                    .accepted,
                    "The story. The place awaits confirmation.",
                    schema: "StoryWithPlace"
                ),
            ],
            refusals: [
                .init(
                    status: .conflict,
                    description: "The story has as many places as it may have, or the owner rejected this one before."
                )
            ],
            handler: { call in
                let id = try call[PathPart.story]
                let added = try await library.storyPlaces.add(
                    PlaceInput(body: call.body ?? .null, knownProblems: call.bodyProblems),
                    to: id,
                    by: call.principal,
                    precondition: call.precondition(.stories)
                )
                let answer = try await changed(id, call: call)
                return StoryPlaceEndpoints.naming(added, of: id, in: answer)
                    .with(added.isWaiting ? .accepted : added.isNew ? .created : .ok)
            }
        )
    }

    private var change: Endpoint {
        Endpoint(
            method: .patch,
            path: StoryPlaceEndpoints.path,
            name: "changeStoryPlace",
            summary: "Updates the given fields of a place of the caller's story; null clears a field (RFC 7396).",
            access: .user,
            scope: .storiesWrite,
            headers: [.ifMatch],
            body: .init(
                schema: "StoryPlacePatch",
                maxBytes: StoryPlaceEndpoints.bodyLimit,
                isJudgedByHandler: true
            ),
            success: [StoryPlaceEndpoints.story(.ok, "The story.")],
            refusals: [.init(status: .conflict, description: "A program does not move a place.")],
            handler: { call in
                let id = try call[PathPart.story]
                try await library.storyPlaces.change(
                    try call[PathPart.storyPlace],
                    of: id,
                    PlaceInput(body: call.body ?? .null, knownProblems: call.bodyProblems),
                    by: call.principal,
                    precondition: call.precondition(.stories)
                )
                return try await changed(id, call: call)
            }
        )
    }

    private var remove: Endpoint {
        Endpoint(
            method: .delete,
            path: StoryPlaceEndpoints.path,
            name: "removeStoryPlace",
            summary: "Removes a place of the caller's story. A program's extraction does not bring it back.",
            access: .user,
            scope: .storiesWrite,
            headers: [.ifMatch],
            success: [StoryPlaceEndpoints.gone],
            handler: { call in
                try await library.storyPlaces.remove(
                    try call[PathPart.storyPlace],
                    of: try call[PathPart.story],
                    by: call.principal,
                    precondition: call.precondition(.stories)
                )
                return .noContent
            }
        )
    }

    private var confirm: Endpoint {
        Endpoint(
            method: .post,
            path: "/v1/stories/\(PathPart.story)/places/\(PathPart.storyPlace)/confirm",
            name: "confirmStoryPlace",
            summary: "Publishes an extracted place of the caller's story, at its own precision unless given.",
            access: .user,
            scope: .storiesWrite,
            parameters: [ProposalEndpoints.precision, ProposalEndpoints.cell, ProposalEndpoints.familySeesExact],
            success: [StoryPlaceEndpoints.story(.ok, "The updated story.")],
            handler: { call in
                let id = try call[PathPart.story]
                let shown = LocationInput(body: .object(try ProposalEndpoints.choice(of: call)))
                try await library.storyPlaces.confirm(
                    try call[PathPart.storyPlace],
                    of: id,
                    by: call.principal,
                    shown: shown.show
                )
                return try await changed(id, call: call)
            }
        )
    }

    private var reject: Endpoint {
        Endpoint(
            method: .post,
            path: "/v1/stories/\(PathPart.story)/places/\(PathPart.storyPlace)/reject",
            name: "rejectStoryPlace",
            summary: "Removes an extracted place that waits. A program's extraction does not bring it back.",
            access: .user,
            scope: .storiesWrite,
            success: [StoryPlaceEndpoints.gone],
            handler: { call in
                try await library.storyPlaces.remove(
                    try call[PathPart.storyPlace],
                    of: try call[PathPart.story],
                    by: call.principal,
                    onlyIfWaiting: true
                )
                return .noContent
            }
        )
    }

    private var waiting: Endpoint {
        Endpoint(
            method: .get,
            path: "/v1/me/places/waiting",
            name: "listWaitingPlaces",
            summary: """
                Returns the places that programs extracted from the caller's stories and that await confirmation, newest \
                first. Nobody else sees them.
                """,
            access: .user,
            scope: .storiesRead,
            cost: .normal,
            parameters: [StoryPlaceEndpoints.limit, Paging.cursor],
            success: [
                .init(
                    status: .ok,
                    mediaType: MediaType.json,
                    schema: .named("WaitingPlaces"),
                    description: "The places."
                )
            ],
            handler: { call in
                let scope = cursors.scope(of: call)
                let page = try await library.storyPlaces.waiting(
                    of: try call.user,
                    after: try call.listCursor(cursors, scope: scope),
                    limit: try call[StoryPlaceEndpoints.limit]
                )
                var json = JSONWriter(capacity: 600 * (page.places.count + 1))
                json.beginObject()
                json.key("places")
                json.beginArray()
                for place in page.places { PlaceJSON.write(place, to: &json) }
                json.endArray()
                json.key("links")
                json.beginObject()
                let next = page.next.map { call.address(setting: Paging.cursor, to: cursors.encode($0, scope: scope)) }
                json.member("next", next)
                json.endObject()
                json.endObject()
                return Answer(body: json.bytes)
            }
        )
    }

    /// Adds the id and the address of a place to an answer with its story; the ETag stays that of the story.
    private static func naming(_ added: StoryPlaceService.Added, of id: StoryID, in answer: Answer) -> Answer {
        var named = answer
        named.headers[.location] = "/v1/stories/\(id)/places/\(added.id)"
        named.body = Array(answer.body.dropLast()) + Array(#","story_place":"\#(added.id)"}"#.utf8)
        return named
    }

    private func changed(_ id: StoryID, call: Call) async throws -> Answer {
        try .story(try await library.stories.changedStory(id, by: call.principal))
    }
}
