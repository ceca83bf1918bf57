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

    static let position = PositionParameters()
    static let limit = Paging.limit(1...100, default: 20, "The maximum number of stories")
    static let bins = QueryParameter(
        "bins",
        .integer(1...MapService.mostBins),
        default: 50,
        "The number of bins into which the days are divided, never more than there are days (default 50). Their "
            + "lengths differ by at most one day. A story counts in each bin that its date, which can be a span, "
            + "overlaps: the count equals the number of stories found with the from and to of that bin."
    )

    private var nearby: Endpoint {
        Endpoint(
            method: .get,
            path: "/v1/nearby",
            name: "nearby",
            summary: "Returns the visible stories nearest to a point, nearest first, with their distances.",
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
                    description: "A GeoJSON FeatureCollection. Distances are in metres."
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
            summary: "Returns the visible stories at a place, newest first; empty if there are none.",
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
                // The id encodes the position, so it is valid even if there never was a story at the place.
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
            summary: "Returns the distribution over time of the visible stories in a box.",
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
                        "The bins in chronological order. Without from or to, they start or end with the stories."
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
