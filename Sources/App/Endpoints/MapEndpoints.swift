import Formats
import Geometry
import HTTPTypes
import StoryMap

/// The routes of the map.
struct MapEndpoints: Sendable {
    let library: StoryLibrary

    /// The longest side of a viewport in pixels at its zoom.
    static let pixelLimit = 8_192.0

    var all: [Endpoint] { [clusters, bounds] }

    private var clusters: Endpoint {
        Endpoint(
            method: .get,
            path: "/v1/clusters",
            name: "clusters",
            summary: "Clusters and single stories of a viewport, counted for the viewer and the filters.",
            access: .anyone,
            scope: .storiesRead,
            cost: .normal,
            caching: .revalidate,
            parameters: [
                .box(required: true),
                .init("zoom", .number(0...24), required: true, "Zoom of 512-pixel tiles; a fraction is rounded down."),
                .init("tile_size", .word(["256", "512"]), "256 for clients whose zoom counts 256-pixel tiles."),
            ] + Endpoint.Parameter.filters,
            success: [
                .init(
                    status: .ok,
                    mediaType: MediaType.geoJSON,
                    schema: .named("ClusterCollection"),
                    description: "A GeoJSON FeatureCollection."
                )
            ],
            handler: { call in
                guard let box = try call.box("bbox"), let zoom = try call.number("zoom") else { throw Problem.notFound }
                let tileSize = call.text("tile_size") ?? "512"
                guard tileSize == "256" || tileSize == "512" else {
                    throw Problem.parameter("tile_size", "must be 256 or 512")
                }
                let window = MapWindow(box: box, zoom: zoom, tileSize: tileSize == "256" ? 256 : 512)
                guard window.pixels <= MapEndpoints.pixelLimit else {
                    throw Problem.parameter("bbox", "is more than 8192 pixels across at this zoom; ask for less")
                }
                let question = try await library.maps.mapQuestion(try call.storySearch(), viewer: call.viewer)
                // Whether the client has it already is known before anything is looked up.
                let tag = EntityTag.strong(question.version(address: call.path + call.queryText))
                if let known = EntityTag.match(call.headers[.ifNoneMatch], tag) { return .notModified(known) }
                let page = try await library.maps.markers(in: window, question, writtenBy: MarkerJSON.append)
                var answer = Answer(mediaType: MediaType.geoJSON, body: MapJSON.page(page))
                answer.headers[.eTag] = tag
                return answer
            }
        )
    }

    private var bounds: Endpoint {
        Endpoint(
            method: .get,
            path: "/v1/bounds",
            name: "bounds",
            summary: "The smallest box around everything the viewer may see on the map; null when there is nothing.",
            access: .anyone,
            scope: .storiesRead,
            caching: .revalidate,
            parameters: Endpoint.Parameter.filters,
            success: [
                .init(status: .ok, mediaType: MediaType.json, schema: .named("Bounds"), description: "The box.")
            ],
            handler: { call in
                Answer(body: MapJSON.bounds(try await library.maps.bounds(try call.storySearch(), viewer: call.viewer)))
            }
        )
    }
}
