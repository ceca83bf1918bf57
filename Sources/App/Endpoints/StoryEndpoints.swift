import Formats
import HTTPTypes
import Stories

/// The routes of single stories and their lists.
struct StoryEndpoints: Sendable {
    let library: StoryLibrary
    let cursors: CursorCodec

    /// The most bytes of a story's body: its longest text, escaped, and the rest.
    private static let bodyLimit = 6 * StoryLimits.textLength + 400_000

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
        description: "Done."
    )

    private var list: Endpoint {
        Endpoint(
            method: .get,
            path: "/v1/stories",
            name: "listStories",
            summary: "Stories that the viewer may see, newest first; without bbox also those without a location.",
            access: .anyone,
            scope: .storiesRead,
            cost: .normal,
            caching: .revalidate,
            parameters: [
                .box(required: false),
                .init(
                    "ids",
                    .text(minBytes: 1, maxBytes: 64),
                    list: true,
                    "Only these stories, at most \(StoryEndpoints.mostIDs); those that are not there for the viewer are left out."
                ),
            ] + Endpoint.Parameter.filters + Endpoint.Parameter.storyPages,
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
        var search = try call.storySearch()
        search.ids = try StoryEndpoints.ids(call)
        let scope = cursors.scope(of: call)
        var window = ListWindow(box: try call.box("bbox"), limit: try call.integer("limit") ?? 20)
        if let text = call.text("cursor") {
            guard let cursor = cursors.decode(text, scope: scope) else {
                throw Problem.parameter("cursor", "is not one that this list gave out for you")
            }
            window.after = cursor
        }
        let list = try await library.maps.stories(window, search: search, viewer: call.viewer)
        return cursors.answer(list, to: call, scope: scope)
    }

    private var create: Endpoint {
        Endpoint(
            method: .post,
            path: "/v1/stories",
            name: "createStory",
            summary: "Stores a new story of the caller.",
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
                    description: "The story that was stored before under this client_id."
                ),
            ],
            refusals: [
                .init(status: .conflict, description: "The client_id is that of a story with other content."),
                .init(status: .gone, description: "The story made under this client_id was deleted since."),
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
            path: "/v1/stories/{id}",
            name: "readStory",
            summary: "One story.",
            access: .anyone,
            scope: .storiesRead,
            caching: .revalidate,
            success: [StoryEndpoints.story],
            handler: { call in try .story(try await library.stories.story(try call.storyID(), viewer: call.viewer)) }
        )
    }

    private var change: Endpoint {
        Endpoint(
            method: .patch,
            path: "/v1/stories/{id}",
            name: "changeStory",
            summary: "Changes the given fields of the caller's story; null clears one (RFC 7396).",
            access: .user,
            scope: .storiesWrite,
            headers: [.ifMatch],
            body: .init(schema: "StoryPatch", maxBytes: StoryEndpoints.bodyLimit, isJudgedByHandler: true),
            success: [StoryEndpoints.story],
            handler: { call in
                let id = try call.storyID()
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
            path: "/v1/stories/{id}",
            name: "deleteStory",
            summary: "Removes the caller's story.",
            access: .user,
            scope: .storiesWrite,
            headers: [.ifMatch],
            success: [StoryEndpoints.gone],
            handler: { call in
                try await library.stories.delete(
                    try call.storyID(),
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
            path: "/v1/stories/{id}/location",
            name: "setLocation",
            summary:
                "Gives the caller's story a location, or another one shown as exactly as the last unless it says more. One that a program extracted waits for the owner, with 202.",
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
                    description: "The story as it was: the location waits in GET /v1/me/location-proposals."
                ),
            ],
            refusals: [
                .init(
                    status: .conflict,
                    description: "An extracted location replaces none given otherwise, removed or rejected."
                )
            ],
            handler: { call in
                let id = try call.storyID()
                let body = call.body ?? .null
                let outcome = try await library.stories.change(
                    id,
                    by: call.principal,
                    precondition: call.precondition(.stories)
                ) { story, _ in
                    var reading = LocationInput(body: body).whole(for: story)
                    reading.problems = call.bodyProblems.adding(reading.problems)
                    story.location = library.maps.derivingNames(try reading.get())
                }
                let answer = try await changed(id, call: call)
                return outcome.isProposal ? answer.with(.accepted) : answer
            }
        )
    }

    private var removeLocation: Endpoint {
        Endpoint(
            method: .delete,
            path: "/v1/stories/{id}/location",
            name: "removeLocation",
            summary: "Takes the caller's story off every map, keeping the story.",
            access: .user,
            scope: .storiesWrite,
            headers: [.ifMatch],
            success: [StoryEndpoints.gone],
            handler: { call in
                try await library.stories.change(
                    try call.storyID(),
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
    /// The filters of the query.
    func storySearch() throws -> StorySearch { try StorySearch(query) }

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

    /// The story's id in the path; what is no id is not found, like an id without a story.
    func storyID() throws -> StoryID {
        guard let id = pathValues["id"].flatMap({ StoryID($0) }) else { throw Problem.notFound }
        return id
    }

    /// The address of this call with one parameter set, sorted by name.
    func address(adding name: String, _ value: String) -> String {
        var query = query
        query[name] = [value]
        return path + Call.text(of: query)
    }

    /// The query of this call, sorted by name, with a question mark before it; empty when there is none.
    var queryText: String { Call.text(of: query) }

    private static func text(of query: [String: [String]]) -> String {
        let pairs = query.map { ($0.key, $0.value.map(Call.escaped).joined(separator: ",")) }.sorted { $0 < $1 }
        return pairs.isEmpty ? "" : "?" + pairs.map { "\($0.0)=\($0.1)" }.joined(separator: "&")
    }

    /// Percent-encodes everything but the unreserved characters of RFC 3986; a comma in a value is no separator.
    private static func escaped(_ text: String) -> String {
        var result = ""
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                result.append(Character(UnicodeScalar(byte)))
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                result += digits.utf8.count == 1 ? "%0" + digits : "%" + digits
            }
        }
        return result
    }
}

extension Endpoint.Parameter {
    /// The bounding box.
    static func box(required: Bool) -> Endpoint.Parameter {
        .init(
            "bbox",
            .text(minBytes: 7, maxBytes: 120, pattern: TextPattern.box),
            required: required,
            form: boxForm,
            "west,south,east,north in degrees; west greater than east crosses the antimeridian."
        )
    }

    /// What a bounding box must be.
    static let boxForm = "west,south,east,north: four numbers in degrees with commas between them"

    /// What a day must be.
    static let dayForm = StorySearch.dayForm

    /// The filters of a map or list.
    static let filters: [Endpoint.Parameter] = [
        .init(
            "kind",
            .kind,
            list: true,
            "Any of these kinds; family_object means three of them."
        ),
        .init("tag", .characters(min: 1, max: StoryLimits.nameLength), list: true, "Any of these topics."),
        .init(
            "person",
            .characters(min: 1, max: StoryLimits.nameLength),
            list: true,
            "About any of these persons."
        ),
        .init("owner", .identifier, list: true, "Of any of these owners."),
        .init("family", .identifier, list: true, "Given to any of these families of yours."),
        .init(
            "collection",
            .characters(min: 1, max: StoryLimits.nameLength),
            list: true,
            "In any of these collections: what stories name, or the id of a collection."
        ),
        .init("view", .word(StoryFilter.View.allCases.map(\.rawValue)), list: true, "shared, family or mine."),
        .init(
            "from",
            .text(minBytes: 4, maxBytes: 10, pattern: TextPattern.day),
            form: dayForm,
            "Not before this day, month or year."
        ),
        .init(
            "to",
            .text(minBytes: 4, maxBytes: 10, pattern: TextPattern.day),
            form: dayForm,
            "Not after this day, month or year."
        ),
        .init("q", .text(minBytes: 1, maxBytes: StoryLimits.searchLength), "Words that must all occur in the text."),
        .init("favourites", .word(["true", "false"]), "With true your favourites alone."),
    ]
}
