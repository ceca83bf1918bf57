import Web
import Library
import Formats
import HTTPTypes
import StoryMap

/// The routes for the contents of a cluster.
///
/// The id of a cluster contains its zoom and its leading cell. If that cell no longer leads a marker, the id refers to
/// the marker that now contains the cell.
struct ClusterEndpoints: Sendable {
    let library: StoryLibrary
    let cursors: CursorCodec

    var all: [Endpoint] { [stories, children, expansionZoom] }

    private var stories: Endpoint {
        Endpoint(
            method: .get,
            path: "/v1/clusters/\(PathPart.cluster)/stories",
            name: "clusterStories",
            summary: "Returns the stories in a cluster, newest first, as many as its point_count.",
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
                    description: """
                        A GeoJSON FeatureCollection. The filters must be those of the request that returned the \
                        cluster's id.
                        """
                )
            ],
            handler: { call in
                let cluster = try call[PathPart.cluster]
                let scope = cursors.scope(of: call)
                let window = try StoryPages.window(call, cursors, scope: scope)
                let list = try await library.maps.stories(
                    of: cluster,
                    window,
                    search: try call[StoryFilters.all],
                    viewer: call.viewer
                )
                guard let list else { throw Problem.notFound }
                return cursors.answer(list, to: call, scope: scope)
            }
        )
    }

    private var children: Endpoint {
        Endpoint(
            method: .get,
            path: "/v1/clusters/\(PathPart.cluster)/children",
            name: "clusterChildren",
            summary: "Returns the markers into which a cluster splits at its expansion zoom; empty if it never splits.",
            access: .anyone,
            scope: .storiesRead,
            cost: .normal,
            caching: .revalidate,
            parameters: [StoryFilters.all],
            success: [
                .init(
                    status: .ok,
                    mediaType: MediaType.geoJSON,
                    schema: .named("ClusterChildren"),
                    description:
                        "A GeoJSON FeatureCollection. Its markers may include stories of neighbouring clusters."
                )
            ],
            handler: { call in
                let split = try await library.maps.split(
                    of: try call[PathPart.cluster],
                    search: try call[StoryFilters.all],
                    viewer: call.viewer
                )
                guard let split else { throw Problem.notFound }
                return Answer(mediaType: MediaType.geoJSON, body: MapJSON.split(split))
            }
        )
    }

    private var expansionZoom: Endpoint {
        Endpoint(
            method: .get,
            path: "/v1/clusters/\(PathPart.cluster)/expansion-zoom",
            name: "clusterExpansionZoom",
            summary: "Returns the lowest higher zoom at which a cluster splits; 21 if it never does.",
            access: .anyone,
            scope: .storiesRead,
            cost: .normal,
            caching: .revalidate,
            parameters: [StoryFilters.all],
            success: [
                .init(
                    status: .ok,
                    mediaType: MediaType.json,
                    schema: .named("ExpansionZoom"),
                    description: "The zoom, for 512-pixel tiles."
                )
            ],
            handler: { call in
                let zoom = try await library.maps.expansionZoom(
                    of: try call[PathPart.cluster],
                    search: try call[StoryFilters.all],
                    viewer: call.viewer
                )
                guard let zoom else { throw Problem.notFound }
                return Answer(body: MapJSON.expansionZoom(zoom))
            }
        )
    }
}
