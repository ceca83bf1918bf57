import Web
import Library
import Formats
import Geometry
import HTTPTypes
import Storage
import Stories
import StoryMap

/// The routes of locations that programs extracted and that await confirmation by the story's owner (LOC-11).
struct ProposalEndpoints: Sendable {
    let library: StoryLibrary
    let cursors: CursorCodec

    var all: [Endpoint] { [list, confirm, reject] }

    private static let limit = Paging.limit(1...100, default: 20, "The maximum number of entries on a page")
    static let precision = QueryParameter.optional(
        "precision",
        .word(["exact", "approximate", "hidden"]),
        "The precision at which others see the location."
    )
    static let cell = QueryParameter.optional(
        "cell",
        .number(0.01...1),
        "The side of the published cell in degrees: 0.01, 0.1 or 1."
    )
    static let familySeesExact = QueryParameter.optional(
        "family_sees_exact",
        .flag,
        "Whether family members still see the exact location."
    )

    private var list: Endpoint {
        Endpoint(
            method: .get,
            path: "/v1/me/location-proposals",
            name: "listLocationProposals",
            summary: """
                Returns the locations that a program extracted from the caller's stories, newest first. Nobody else \
                sees a location before it is confirmed.
                """,
            access: .user,
            scope: .storiesRead,
            cost: .normal,
            parameters: [ProposalEndpoints.limit, Paging.cursor],
            success: [
                .init(
                    status: .ok,
                    mediaType: MediaType.json,
                    schema: .named("LocationProposals"),
                    description: "The proposals waiting for confirmation."
                )
            ],
            handler: { call in
                let scope = cursors.scope(of: call)
                let page = try await library.stories.proposals.page(
                    of: try call.user,
                    after: try call.listCursor(cursors, scope: scope),
                    limit: try call[ProposalEndpoints.limit]
                )
                var json = JSONWriter(capacity: 600 * (page.proposals.count + 1))
                json.beginObject()
                json.key("proposals")
                json.beginArray()
                for proposal in page.proposals {
                    ProposalJSON.write(
                        proposal,
                        title: page.stories[proposal.story]?.title,
                        location: library.maps.derivingNames(proposal.location),
                        to: &json
                    )
                }
                json.endArray()
                json.key("links")
                json.beginObject()
                json.member(
                    "next",
                    page.next.map { call.address(setting: Paging.cursor, to: cursors.encode($0, scope: scope)) }
                )
                json.endObject()
                json.endObject()
                return Answer(body: json.bytes)
            }
        )
    }

    private var confirm: Endpoint {
        Endpoint(
            method: .post,
            path: "/v1/me/location-proposals/\(PathPart.proposal)/confirm",
            name: "confirmLocationProposal",
            summary: """
                Confirms a location for the story, with the precision of its previous one unless given. Removes the \
                story's other proposals.
                """,
            access: .user,
            scope: .storiesWrite,
            parameters: [ProposalEndpoints.precision, ProposalEndpoints.cell, ProposalEndpoints.familySeesExact],
            success: [
                .init(
                    status: .ok,
                    mediaType: MediaType.json,
                    schema: .named("Story"),
                    description: "The updated story."
                )
            ],
            handler: { call in
                let shown = LocationInput(body: .object(try ProposalEndpoints.choice(of: call)))
                let id = try await library.stories.proposals.confirm(
                    try call[PathPart.proposal],
                    of: try call.user,
                    shown: shown.show
                )
                return try .story(try await library.stories.changedStory(id, by: call.principal))
            }
        )
    }

    /// Returns the parameters in the query that determine how exactly the location is shown, as members of a body.
    static func choice(of call: Call) throws -> [String: JSONValue] {
        var choice: [String: JSONValue] = [:]
        if let text = try call[precision] { choice[precision.name] = .string(text) }
        if let side = try call[cell] { choice[cell.name] = .number(side) }
        if let isSeen = try call[familySeesExact] { choice[familySeesExact.name] = .bool(isSeen) }
        return choice
    }

    private var reject: Endpoint {
        Endpoint(
            method: .post,
            path: "/v1/me/location-proposals/\(PathPart.proposal)/reject",
            name: "rejectLocationProposal",
            summary: "Rejects a proposed location. One at the same place is not proposed for the story again.",
            access: .user,
            scope: .storiesWrite,
            success: [.init(status: .noContent, mediaType: MediaType.json, schema: nil, description: "Success.")],
            handler: { call in
                try await library.stories.proposals.reject(try call[PathPart.proposal], of: try call.user)
                return .noContent
            }
        )
    }
}

/// The JSON of a proposal.
enum ProposalJSON: Sendable {
    static func write(
        _ proposal: LocationProposal,
        title: String?,
        location: StoryLocation,
        to json: inout JSONWriter
    ) {
        json.beginObject()
        json.member("id", proposal.id.description)
        json.member("story", proposal.story.description)
        json.member("title", title)
        json.key("location")
        json.beginObject()
        json.key("lat")
        json.degrees(location.coordinate.latitude)
        json.key("lon")
        json.degrees(location.coordinate.longitude)
        json.member("source", location.source.rawValue)
        json.member("accuracy", location.accuracy)
        json.member("precision", location.precision.name)
        json.key("cell")
        if let cell = location.precision.cell { json.value(cell.degrees) } else { json.null() }
        json.member("family_sees_exact", location.familySeesExact)
        for name in LocationName.allCases { json.member(name.rawValue, location.names[name]) }
        json.member("derived", LocationName.allCases.filter(location.derived.contains).map(\.rawValue))
        json.endObject()
        json.member("created_at", RFC3339.format(proposal.createdAt))
        json.endObject()
    }
}

/// The schemas of proposals in answers.
enum ProposalSchemas: Sendable {
    static let all: [(name: String, schema: Schema)] = [
        ("LocationProposals", proposals), ("LocationProposal", proposal),
    ]

    private static let id = Schema.text(minBytes: 32, maxBytes: 32)

    private static let proposals = Schema.object([
        .init("proposals", .array(.named("LocationProposal"), maxItems: 100), required: true),
        .init(
            "links",
            .object([.init("next", .nullable(.text(maxBytes: 4_000)), required: true)]),
            required: true
        ),
    ])

    private static let proposal = Schema.object([
        .init("id", id, required: true), .init("story", id, required: true),
        .init("title", .nullable(StorySchemas.shownTitle), required: true, "The title of the story."),
        .init(
            "location",
            StorySchemas.proposedLocation,
            required: true,
            "The location the story will have once confirmed."
        ),
        .init("created_at", .text(minBytes: 20, maxBytes: 40, format: "date-time"), required: true),
    ])
}
