import Web
import Library
import Formats
import Geometry
import HTTPTypes
import StoryMap

/// The routes of the map.
struct MapEndpoints: Sendable {
    let library: StoryLibrary

    var all: [Endpoint] { [clusters, bounds] }

    private var clusters: Endpoint {
        Endpoint(
            method: .get,
            path: "/v1/clusters",
            name: "clusters",
            summary: "Returns the clusters and single stories of a viewport, counted for the viewer and the filters.",
            access: .anyone,
            scope: .storiesRead,
            cost: .normal,
            caching: .revalidate,
            parameters: [ViewportParameters.withTileSize, StoryFilters.all],
            success: [
                .init(
                    status: .ok,
                    mediaType: MediaType.geoJSON,
                    schema: .named("ClusterCollection"),
                    description: "A GeoJSON FeatureCollection."
                )
            ],
            handler: { call in
                let window = try call[ViewportParameters.withTileSize]
                let question = try await library.maps.mapQuestion(try call[StoryFilters.all], viewer: call.viewer)
                // The version shows whether the client has the answer already, before any marker is looked up.
                let tag = EntityTag.strong(question.version(address: call.path + call.query.address))
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
            summary:
                "Returns the smallest box around all stories on the map visible to the viewer; null if there are none.",
            access: .anyone,
            scope: .storiesRead,
            caching: .revalidate,
            parameters: [StoryFilters.all],
            success: [
                .init(status: .ok, mediaType: MediaType.json, schema: .named("Bounds"), description: "The box.")
            ],
            handler: { call in
                Answer(
                    body: MapJSON.bounds(try await library.maps.bounds(try call[StoryFilters.all], viewer: call.viewer))
                )
            }
        )
    }
}
