import Web
import Library
import Formats
import HTTPTypes
import Stories
import StoryMap

/// The routes that count stories by their attributes, so that a viewer knows what each choice of a filter finds.
struct FacetEndpoints: Sendable {
    let library: StoryLibrary

    var all: [Endpoint] { [facets, tags, people] }

    static let limit = Paging.limit(
        1...MapService.mostFacetValues,
        default: 50,
        "The maximum number of values of each list: those of most stories first, then by value"
    )
    static let prefix = QueryParameter.optional(
        "prefix",
        .characters(1...StoryLimits.nameLength),
        "Only values of which a word begins like this, without regard to case and accents."
    )

    static let meaning = """
        The count of a value is the number of stories found if its filter wanted this value alone; all other filters \
        and the box apply. Spellings of a topic or a person that differ in case, accents or apostrophes are one value, \
        shown in the spelling of most of the stories counted.
        """

    private var facets: Endpoint {
        Endpoint(
            method: .get,
            path: "/v1/facets",
            name: "countFacets",
            summary: """
                Counts the visible stories by kind, view, owner, family and collection, and the viewer's favourites, \
                under the filters and in the box.
                """,
            access: .anyone,
            scope: .storiesRead,
            cost: .normal,
            caching: .revalidate,
            parameters: [BoxParameter.optional, StoryFilters.all, FacetEndpoints.limit],
            success: [
                .init(
                    status: .ok,
                    mediaType: MediaType.json,
                    schema: .named("Facets"),
                    description: FacetEndpoints.meaning
                )
            ],
            handler: { call in
                let found = try await count(FacetJSON.listed.union(.favourites), prefix: "", call)
                return Answer(body: FacetJSON.facets(found))
            }
        )
    }

    private var tags: Endpoint {
        list("/v1/tags", "listTags", "the tags of the visible stories", .tags)
    }

    private var people: Endpoint {
        list("/v1/people", "listPeople", "the persons whom the visible stories are about", .people)
    }

    private func list(_ path: String, _ name: String, _ subject: String, _ facet: FacetSet) -> Endpoint {
        Endpoint(
            method: .get,
            path: path,
            name: name,
            summary: "Returns \(subject) under the filters and in the box, with the number of stories of each.",
            access: .anyone,
            scope: .storiesRead,
            cost: .normal,
            caching: .revalidate,
            parameters: [BoxParameter.optional, StoryFilters.all, FacetEndpoints.prefix, FacetEndpoints.limit],
            success: [
                .init(
                    status: .ok,
                    mediaType: MediaType.json,
                    schema: .named("FacetValues"),
                    description: FacetEndpoints.meaning
                )
            ],
            handler: { call in
                let found = try await count(facet, prefix: try call[FacetEndpoints.prefix] ?? "", call)
                return Answer(body: FacetJSON.values(found, of: facet))
            }
        )
    }

    private func count(_ facets: FacetSet, prefix: String, _ call: Call) async throws -> StoryFacets {
        try await library.maps.facets(
            FacetChoice(facets, limit: try call[FacetEndpoints.limit], prefix: prefix),
            in: try call[BoxParameter.optional],
            search: try call[StoryFilters.all],
            viewer: call.viewer
        )
    }
}

/// The schemas of counted attributes.
enum FacetSchemas: Sendable {
    static let all: [(name: String, schema: Schema)] = [("FacetValues", values), ("Facets", facets)]

    private static let count = Schema.integer(0...Int(Int32.max))
    private static let text = Schema.text(
        minBytes: 1,
        maxBytes: StoryLimits.mostBytes(characters: StoryLimits.nameLength)
    )

    private static let values = Schema.object([
        .init(
            "numberMatched",
            count,
            required: true,
            "The number of different values that some story has; the list may hold fewer."
        ),
        .init(
            "values",
            .array(
                .object([
                    .init("value", text, required: true, "The value, as the filter takes it."),
                    .init("name", text, "The name of an owner or a family, if it has one."),
                    .init("count", count, required: true, "The number of stories."),
                ]),
                maxItems: MapService.mostFacetValues
            ),
            required: true,
            "Those of most stories first, then by value."
        ),
    ])

    private static let facets = Schema.object(
        [.init("numberMatched", count, required: true, "The number of stories that match all filters.")]
            + FacetJSON.lists.map {
                .init($0.name, .named("FacetValues"), required: true, "By the filter \($0.filter).")
            }
            + [.init("favourites", count, required: true, "The number of the viewer's favourites.")]
    )
}
