import Web
import Library
import Geometry
import HTTPTypes
import Stories

/// The routes of the stories near a point or at a place, and of the histogram over time.
struct ListEndpoints: Sendable {
    let library: StoryLibrary
    let cursors: CursorCodec

    var all: [Endpoint] { [nearby, place, histogram] }

    private static let position = PositionParameters()
    private static let limit = Paging.limit(1...100, default: 20, "The most stories;")
    private static let bins = QueryParameter(
        "bins",
        .integer(1...MapService.mostBins),
        default: 50,
        "Into how many parts the days are divided, never more than there are days; 50 unless said. They differ by "
            + "at most a day. A story counts in each part that its date, which can be a span, overlaps: as many as "
            + "from and to of that part find."
    )

    private var nearby: Endpoint {
        Endpoint(
            method: .get,
            path: "/v1/nearby",
            name: "nearby",
            summary: "The stories nearest to a point that the viewer may see, nearest first, with their distance.",
            access: .anyone,
            scope: .storiesRead,
            cost: .normal,
            caching: .revalidate,
            parameters: [ListEndpoints.position, ListEndpoints.limit, StoryFilters.all],
            success: [
                .init(
                    status: .ok,
                    mediaType: MediaType.geoJSON,
                    schema: .named("NearbyCollection"),
                    description: "A GeoJSON FeatureCollection; distance is in metres."
                )
            ],
            handler: { call in
                let stories = try await library.maps.stories(
                    near: try call[ListEndpoints.position],
                    limit: try call[ListEndpoints.limit],
                    search: try call[StoryFilters.all],
                    viewer: call.viewer
                )
                return Answer(mediaType: MediaType.geoJSON, body: StoryListJSON.nearby(stories))
            }
        )
    }

    private var place: Endpoint {
        Endpoint(
            method: .get,
            path: "/v1/places/\(PathPart.place)/stories",
            name: "placeStories",
            summary:
                "The stories at one place that the viewer may see, newest first; a place where there are none is empty.",
            access: .anyone,
            scope: .storiesRead,
            cost: .normal,
            caching: .revalidate,
            parameters: [StoryFilters.all, StoryPages.parameters],
            success: [
                .init(
                    status: .ok,
                    mediaType: MediaType.geoJSON,
                    schema: .named("StoryCollection"),
                    description: "A GeoJSON FeatureCollection."
                )
            ],
            handler: { call in
                // The id encodes the position, so it is valid whether or not there are, or ever were, stories.
                let place = try call[PathPart.place]
                let scope = cursors.scope(of: call)
                let window = try StoryPages.window(call, cursors, scope: scope)
                let list = try await library.maps.stories(
                    at: place,
                    window,
                    search: try call[StoryFilters.all],
                    viewer: call.viewer
                )
                return cursors.answer(list, to: call, scope: scope)
            }
        )
    }

    private var histogram: Endpoint {
        Endpoint(
            method: .get,
            path: "/v1/histogram",
            name: "histogram",
            summary: "How many stories in a box that the viewer may see there are over time.",
            access: .anyone,
            scope: .storiesRead,
            cost: .normal,
            caching: .revalidate,
            parameters: [BoxParameter.optional, ListEndpoints.bins, StoryFilters.all],
            success: [
                .init(
                    status: .ok,
                    mediaType: MediaType.json,
                    schema: .named("Histogram"),
                    description:
                        "The parts in the order of time. Without from or to they begin or end with the stories."
                )
            ],
            handler: { call in
                let histogram = try await library.maps.histogram(
                    in: try call[BoxParameter.optional],
                    bins: try call[ListEndpoints.bins],
                    search: try call[StoryFilters.all],
                    viewer: call.viewer
                )
                return Answer(body: MapJSON.histogram(histogram))
            }
        )
    }
}
