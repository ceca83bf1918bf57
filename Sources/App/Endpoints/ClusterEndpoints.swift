import Formats
import HTTPTypes
import StoryMap

/// The routes of what is inside a cluster.
///
/// An id holds its zoom; one whose cell no longer leads answers for the marker that holds it now.
struct ClusterEndpoints: Sendable {
    let library: StoryLibrary
    let cursors: CursorCodec

    var all: [Endpoint] { [stories, children, expansionZoom] }

    private var stories: Endpoint {
        Endpoint(
            method: .get,
            path: "/v1/clusters/{cluster}/stories",
            name: "clusterStories",
            summary: "The stories that a cluster stands for, newest first, as many as its point_count.",
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
                    description: "A GeoJSON FeatureCollection; the filters must be those with which the id was given."
                )
            ],
            handler: { call in
                let cluster = try call.cluster
                let scope = cursors.scope(of: call)
                var window = ListWindow(limit: try call.integer("limit") ?? 20)
                window.after = try call.listCursor(cursors, scope: scope)
                let list = try await library.maps.stories(
                    of: cluster,
                    window,
                    search: try call.storySearch(),
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
            path: "/v1/clusters/{cluster}/children",
            name: "clusterChildren",
            summary: "The markers into which a cluster splits at its expansion zoom; none when it never splits.",
            access: .anyone,
            scope: .storiesRead,
            cost: .normal,
            caching: .revalidate,
            parameters: Endpoint.Parameter.filters,
            success: [
                .init(
                    status: .ok,
                    mediaType: MediaType.geoJSON,
                    schema: .named("ClusterChildren"),
                    description: "A GeoJSON FeatureCollection; its markers can stand for stories of neighbours as well."
                )
            ],
            handler: { call in
                let split = try await library.maps.split(
                    of: try call.cluster,
                    search: try call.storySearch(),
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
            path: "/v1/clusters/{cluster}/expansion-zoom",
            name: "clusterExpansionZoom",
            summary: "The first deeper zoom at which a cluster splits; 21 when it never does.",
            access: .anyone,
            scope: .storiesRead,
            cost: .normal,
            caching: .revalidate,
            parameters: Endpoint.Parameter.filters,
            success: [
                .init(
                    status: .ok,
                    mediaType: MediaType.json,
                    schema: .named("ExpansionZoom"),
                    description: "The zoom, of 512-pixel tiles."
                )
            ],
            handler: { call in
                let zoom = try await library.maps.expansionZoom(
                    of: try call.cluster,
                    search: try call.storySearch(),
                    viewer: call.viewer
                )
                guard let zoom else { throw Problem.notFound }
                return Answer(body: MapJSON.expansionZoom(zoom))
            }
        )
    }
}

extension Call {
    /// The cluster's id in the path; what is no id is not found, like an id without a cluster.
    fileprivate var cluster: ClusterID {
        get throws {
            guard let id = pathValues["cluster"].flatMap({ ClusterID($0) }) else { throw Problem.notFound }
            return id
        }
    }
}
