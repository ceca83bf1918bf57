import Geometry
import HTTPTypes
import Stories

/// The routes of what lies near a point or at a place, and of time on the map.
struct ListEndpoints: Sendable {
    let library: StoryLibrary
    let cursors: CursorCodec

    var all: [Endpoint] { [nearby, place, histogram] }

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
            parameters: [
                .init("lat", .number(-90...90), required: true, "Latitude in degrees."),
                .init("lon", .number(-180...180), required: true, "Longitude in degrees."),
                .init("limit", .integer(1...100), "The most stories; 20 unless said."),
            ] + Endpoint.Parameter.filters,
            success: [
                .init(
                    status: .ok,
                    mediaType: MediaType.geoJSON,
                    schema: .named("NearbyCollection"),
                    description: "A GeoJSON FeatureCollection; distance is in metres."
                )
            ],
            handler: { call in
                guard let latitude = try call.number("lat"), let longitude = try call.number("lon"),
                    let coordinate = Coordinate(latitude: latitude, longitude: longitude)
                else { throw Problem.parameter("lat", "must be a latitude in degrees") }
                let stories = try await library.maps.stories(
                    near: coordinate,
                    limit: try call.integer("limit") ?? 20,
                    search: try call.storySearch(),
                    viewer: call.viewer
                )
                return Answer(mediaType: MediaType.geoJSON, body: StoryListJSON.nearby(stories))
            }
        )
    }

    private var place: Endpoint {
        Endpoint(
            method: .get,
            path: "/v1/places/{place}/stories",
            name: "placeStories",
            summary:
                "The stories at one place that the viewer may see, newest first; a place where there are none is empty.",
            access: .anyone,
            scope: .storiesRead,
            cost: .normal,
            caching: .revalidate,
            parameters: Endpoint.Parameter.filters + Endpoint.Parameter.storyPages,
            success: [
                .init(
                    status: .ok,
                    mediaType: MediaType.geoJSON,
                    schema: .named("StoryCollection"),
                    description: "A GeoJSON FeatureCollection."
                )
            ],
            handler: { call in
                // The id is the point: whether anything lies there, or ever did, makes no difference to it.
                guard let place = call.pathValues["place"].flatMap({ PlaceID($0) }) else { throw Problem.notFound }
                let scope = cursors.scope(of: call)
                var window = ListWindow(limit: try call.integer("limit") ?? 20)
                window.after = try call.listCursor(cursors, scope: scope)
                let list = try await library.maps.stories(
                    at: place,
                    window,
                    search: try call.storySearch(),
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
            parameters: [
                .box(required: false),
                .init(
                    "bins",
                    .integer(1...MapService.mostBins),
                    "Into how many parts the days are divided, never more than there are days; 50 unless said. They differ by "
                        + "at most a day. A story counts in each part that its date, which can be a span, overlaps: as many as "
                        + "from and to of that part find."
                ),
            ] + Endpoint.Parameter.filters,
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
                    in: try call.box("bbox"),
                    bins: try call.integer("bins") ?? 50,
                    search: try call.storySearch(),
                    viewer: call.viewer
                )
                return Answer(body: MapJSON.histogram(histogram))
            }
        )
    }
}

extension Endpoint.Parameter {
    /// The parameters of a paged list of stories.
    static let storyPages: [Endpoint.Parameter] = [
        .init("limit", .integer(1...1_000), "The most stories on a page; 20 unless said."),
        .init("cursor", .text(minBytes: 1, maxBytes: 200), "Where the next page begins, from links."),
    ]
}
