import Web
import Library
import Formats
import Geometry
import HTTPTypes
import Stories

/// The routes of named places.
struct NamedPlaceEndpoints: Sendable {
    let library: StoryLibrary

    var all: [Endpoint] { [list, create, read, change, delete] }

    private static let place = Endpoint.Success(
        status: .ok,
        mediaType: MediaType.json,
        schema: .named("NamedPlace"),
        description: "The place."
    )

    private var list: Endpoint {
        Endpoint(
            method: .get,
            path: "/v1/named-places",
            name: "listNamedPlaces",
            summary: """
                Returns the named places visible to the viewer, newest first; with a box, those whose centre lies in \
                it.
                """,
            access: .anyone,
            scope: .storiesRead,
            cost: .normal,
            caching: .revalidate,
            parameters: [BoxParameter.optional, TimedPages.parameters],
            success: [
                .init(
                    status: .ok,
                    mediaType: MediaType.json,
                    schema: .named("NamedPlacePage"),
                    description: "A page."
                )
            ],
            handler: { call in
                let limit = try call[TimedPages.limit]
                let position = try TimedPage<NamedPlace>.position(in: call)
                // One item more than the page needs shows whether there is another page.
                let places = try await library.places.namedPlaces(
                    visibleTo: call.viewer,
                    in: try call[BoxParameter.optional],
                    after: position.map { (Timestamp(milliseconds: $0.time), $0.id) },
                    limit: limit + 1
                )
                let page = try TimedPage(of: places, newestFirst: true, call: call) { ($0.createdAt, $0.id.rawValue) }
                return Answer(body: page.json("named_places") { NamedPlaceJSON.write($0, to: &$1) })
            }
        )
    }

    private var create: Endpoint {
        Endpoint(
            method: .post,
            path: "/v1/named-places",
            name: "createNamedPlace",
            summary: """
                Creates a named place of the caller. Stories in its circle are announced together and under its name \
                to users who can see the place. Only a service's key can make it public.
                """,
            access: .user,
            scope: .storiesWrite,
            body: .init(schema: "NamedPlaceInput", maxBytes: 16_384),
            success: [
                .init(
                    status: .created,
                    mediaType: MediaType.json,
                    schema: .named("NamedPlace"),
                    description: "The new place."
                )
            ],
            handler: { call in
                let body = call.body ?? .null
                let input = try NamedPlaceInput(body)
                guard let latitude = input.latitude, let longitude = input.longitude,
                    let coordinate = Coordinate(latitude: latitude, longitude: longitude)
                else { throw NamedPlaceRefusal.badPosition }
                let (owner, isService) = (try call.user, call.principal.isService)
                let made = try await library.places.addNamedPlace(
                    input,
                    at: coordinate,
                    owner: owner,
                    mayBePublic: isService
                )
                var answer = NamedPlaceEndpoints.answer(made)
                answer.status = .created
                answer.headers[.location] = "/v1/named-places/\(made.id)"
                return answer
            }
        )
    }

    private var read: Endpoint {
        Endpoint(
            method: .get,
            path: "/v1/named-places/\(PathPart.namedPlace)",
            name: "readNamedPlace",
            summary: "Returns a named place.",
            access: .anyone,
            scope: .storiesRead,
            caching: .revalidate,
            success: [NamedPlaceEndpoints.place],
            handler: { call in
                NamedPlaceEndpoints.answer(
                    try await library.places.namedPlace(try call[PathPart.namedPlace], visibleTo: call.viewer)
                )
            }
        )
    }

    private var change: Endpoint {
        Endpoint(
            method: .patch,
            path: "/v1/named-places/\(PathPart.namedPlace)",
            name: "changeNamedPlace",
            summary: """
                Updates the given fields of the caller's named place. Earlier notifications under its name are \
                reworded.
                """,
            access: .user,
            scope: .storiesWrite,
            headers: [.ifMatch],
            body: .init(schema: "NamedPlacePatch", maxBytes: 16_384),
            success: [NamedPlaceEndpoints.place],
            handler: { call in
                let id = try call[PathPart.namedPlace]
                let input = try NamedPlaceInput(call.body ?? .null)
                let precondition = call.precondition(NamedPlaceEndpoints.versions)
                return NamedPlaceEndpoints.answer(
                    try await library.places.change(id, by: call.principal, precondition: precondition, input)
                )
            }
        )
    }

    private var delete: Endpoint {
        Endpoint(
            method: .delete,
            path: "/v1/named-places/\(PathPart.namedPlace)",
            name: "deleteNamedPlace",
            summary: "Deletes the caller's named place and removes its name from earlier notifications.",
            access: .user,
            scope: .storiesWrite,
            headers: [.ifMatch],
            success: [
                .init(status: .noContent, mediaType: MediaType.json, schema: nil, description: "Success.")
            ],
            handler: { call in
                try await library.places.removeNamedPlace(
                    try call[PathPart.namedPlace],
                    by: call.principal,
                    precondition: call.precondition(NamedPlaceEndpoints.versions)
                )
                return .noContent
            }
        )
    }

    /// The versions of places, as ETags of their JSON.
    private static let versions = VersionNames<NamedPlace>.entityTags { NamedPlaceJSON.json($0) }

    private static func answer(_ place: NamedPlace) -> Answer {
        let body = NamedPlaceJSON.json(place)
        return Answer(headers: [.eTag: EntityTag.strong(body)], body: body)
    }
}

extension NamedPlaceInput {
    /// Reads a body whose shape has been checked.
    ///
    /// - Throws: ``NamedPlaceRefusal`` for an invalid family id.
    fileprivate init(_ body: JSONValue) throws {
        self.init()
        name = body["name"]?.string
        (latitude, longitude) = (body["lat"]?.number, body["lon"]?.number)
        radius = body["radius"]?.number
        privacy = body["privacy"]?.string.flatMap(Privacy.init)
        guard let given = body["family"] else { return }
        guard let text = given.string else {
            family = .some(nil)
            return
        }
        // The error is identical for a family that does not exist and for one to which the owner does not belong.
        guard let id = FamilyID(text) else { throw NamedPlaceRefusal.notYourFamily }
        family = id
    }
}

/// The schemas of named places in requests and answers.
enum NamedPlaceSchemas: Sendable {
    static let all: [(name: String, schema: Schema)] = [
        ("NamedPlaceInput", .object(input(requiring: ["name", "lat", "lon"]))),
        ("NamedPlacePatch", .object(input(requiring: []))), ("NamedPlace", place), ("NamedPlacePage", page),
    ]

    private static let id = Schema.hexID
    private static let name = Schema.text(minBytes: 1, maxBytes: StoryLimits.nameLength)
    private static let privacy = Schema.word(Privacy.allCases.map(\.rawValue))
    private static let instant = Schema.text(minBytes: 20, maxBytes: 40, format: "date-time")

    private static func input(requiring required: Set<String>) -> [Schema.Member] {
        [
            .init(
                "name",
                name,
                required: required.contains("name"),
                "The name on one line, as shown in notifications."
            ),
            .init(
                "lat",
                .number(-90...90),
                required: required.contains("lat"),
                "The latitude of the centre in degrees."
            ),
            .init(
                "lon",
                .number(-180...180),
                required: required.contains("lon"),
                "The longitude of the centre in degrees."
            ),
            .init(
                "radius",
                .number(NamedPlace.radii),
                "The radius in metres (default \(Int(NamedPlace.usualRadius)))."
            ),
            .init("privacy", privacy, "The privacy level (default private). Only a service's key can set public."),
            .init("family", .nullable(.identifier), "For family_only: the one family; null for all of the owner's."),
        ]
    }

    private static let place = Schema.object([
        .init("id", id, required: true), .init("name", name, required: true),
        .init("lat", .number(-90...90), required: true), .init("lon", .number(-180...180), required: true),
        .init("radius", .number(NamedPlace.radii), required: true), .init("owner", .identifier, required: true),
        .init("privacy", privacy, required: true), .init("family", .nullable(.identifier), required: true),
        .init(
            "held",
            .boolean,
            required: true,
            "Whether it touches one of the operator's protected areas. If so, only its owner can see it."
        ),
        .init("created_at", instant, required: true), .init("updated_at", instant, required: true),
    ])

    private static let page = Schema.object([
        .init("named_places", .array(.named("NamedPlace")), required: true),
        .init("links", .object([.init("next", .nullable(.text(maxBytes: 1_000)), required: true)]), required: true),
    ])
}
