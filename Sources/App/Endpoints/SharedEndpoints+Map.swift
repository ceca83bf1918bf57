import Web
import Library
import Formats
import HTTPTypes
import StoryMap

// The map of the stories behind a link.
extension SharedEndpoints {
    var maps: [Endpoint] { [clusters, bounds, clusterStories, children, expansionZoom] }
    var lists: [Endpoint] { [nearby, place] }
    var counts: [Endpoint] {
        [
            histogram, facets, values("/tags", "listSharedTags", "the tags of the stories behind the link", .tags),
            values("/people", "listSharedPeople", "the persons whom the stories behind the link are about", .people),
        ]
    }

    private var clusters: Endpoint {
        route(
            "/clusters",
            "sharedClusters",
            "Returns the clusters and single stories of a viewport, of the stories behind the link.",
            parameters: [ViewportParameters.withTileSize, StoryFilters.all],
            mediaType: MediaType.geoJSON,
            schema: .named("ClusterCollection"),
            "A GeoJSON FeatureCollection."
        ) { map, call in
            let window = try call[ViewportParameters.withTileSize]
            let question = try await map.question(try call[StoryFilters.all])
            let page = question.markers(in: window, writtenBy: MarkerJSON.appendShared)
            return Answer(mediaType: MediaType.geoJSON, body: MapJSON.page(page))
        }
    }

    private var bounds: Endpoint {
        route(
            "/bounds",
            "sharedBounds",
            "Returns the smallest box around the stories behind the link; null if none has a place.",
            parameters: [StoryFilters.all],
            schema: .named("Bounds"),
            "The box."
        ) { map, call in Answer(body: MapJSON.bounds(try await map.bounds(try call[StoryFilters.all]))) }
    }

    private var clusterStories: Endpoint {
        route(
            "/clusters/\(PathPart.cluster)/stories",
            "sharedClusterStories",
            "Returns the stories in a cluster, newest first.",
            parameters: [StoryFilters.all, StoryPages.parameters],
            mediaType: MediaType.geoJSON,
            schema: .named("StoryCollection"),
            "A GeoJSON FeatureCollection."
        ) { [cursors] map, call in
            let cluster = try call[PathPart.cluster]
            let scope = cursors.scope(of: call)
            let window = try StoryPages.window(call, cursors, scope: scope)
            let list = try await map.stories(of: cluster, window, search: try call[StoryFilters.all])
            guard let list else { throw Problem.notFound }
            return cursors.answer(list, to: call, scope: scope)
        }
    }

    private var children: Endpoint {
        route(
            "/clusters/\(PathPart.cluster)/children",
            "sharedClusterChildren",
            "Returns the markers into which a cluster splits at its expansion zoom; empty if it never splits.",
            parameters: [StoryFilters.all],
            mediaType: MediaType.geoJSON,
            schema: .named("ClusterChildren"),
            "A GeoJSON FeatureCollection."
        ) { map, call in
            let split = try await map.split(of: try call[PathPart.cluster], search: try call[StoryFilters.all])
            guard let split else { throw Problem.notFound }
            return Answer(mediaType: MediaType.geoJSON, body: MapJSON.split(split, isShared: true))
        }
    }

    private var expansionZoom: Endpoint {
        route(
            "/clusters/\(PathPart.cluster)/expansion-zoom",
            "sharedClusterExpansionZoom",
            "Returns the lowest higher zoom at which a cluster splits; 21 if it never does.",
            parameters: [StoryFilters.all],
            schema: .named("ExpansionZoom"),
            "The zoom, for 512-pixel tiles."
        ) { map, call in
            let search = try call[StoryFilters.all]
            guard let zoom = try await map.expansionZoom(of: try call[PathPart.cluster], search: search) else {
                throw Problem.notFound
            }
            return Answer(body: MapJSON.expansionZoom(zoom))
        }
    }

    private var nearby: Endpoint {
        route(
            "/nearby",
            "sharedNearby",
            "Returns the stories behind the link that are nearest to a point, nearest first, with their distances.",
            parameters: [ListEndpoints.position, ListEndpoints.limit, StoryFilters.all],
            mediaType: MediaType.geoJSON,
            schema: .named("NearbyCollection"),
            "A GeoJSON FeatureCollection. Distances are in metres."
        ) { map, call in
            let stories = try await map.stories(
                near: try call[ListEndpoints.position],
                limit: try call[ListEndpoints.limit],
                search: try call[StoryFilters.all]
            )
            return Answer(mediaType: MediaType.geoJSON, body: StoryListJSON.nearby(stories))
        }
    }

    private var place: Endpoint {
        route(
            "/places/\(PathPart.place)/stories",
            "sharedPlaceStories",
            "Returns the stories behind the link at a place, newest first; empty if there are none.",
            parameters: [StoryFilters.all, StoryPages.parameters],
            mediaType: MediaType.geoJSON,
            schema: .named("StoryCollection"),
            "A GeoJSON FeatureCollection."
        ) { [cursors] map, call in
            let place = try call[PathPart.place]
            let scope = cursors.scope(of: call)
            let window = try StoryPages.window(call, cursors, scope: scope)
            let list = try await map.stories(at: place, window, search: try call[StoryFilters.all])
            return cursors.answer(list, to: call, scope: scope)
        }
    }

    private var histogram: Endpoint {
        route(
            "/histogram",
            "sharedHistogram",
            "Returns the distribution over time of the stories behind the link in a box.",
            parameters: [BoxParameter.optional, ListEndpoints.bins, StoryFilters.all],
            schema: .named("Histogram"),
            "The bins in chronological order."
        ) { map, call in
            let histogram = try await map.histogram(
                in: try call[BoxParameter.optional],
                bins: try call[ListEndpoints.bins],
                search: try call[StoryFilters.all]
            )
            return Answer(body: MapJSON.histogram(histogram))
        }
    }

    private var facets: Endpoint {
        route(
            "/facets",
            "countSharedFacets",
            "Counts the stories behind the link by kind, owner and collection, under the filters and in the box.",
            parameters: [BoxParameter.optional, StoryFilters.all, FacetEndpoints.limit],
            schema: .named("Facets"),
            FacetEndpoints.meaning
        ) { map, call in
            let choice = FacetChoice(FacetJSON.listed.union(.favourites), limit: try call[FacetEndpoints.limit])
            let box = try call[BoxParameter.optional]
            let found = try await map.facets(choice, in: box, search: try call[StoryFilters.all])
            return Answer(body: FacetJSON.facets(found))
        }
    }

    private func values(_ path: String, _ name: String, _ subject: String, _ facet: FacetSet) -> Endpoint {
        route(
            path,
            name,
            "Returns \(subject) under the filters and in the box, with the number of stories of each.",
            parameters: [BoxParameter.optional, StoryFilters.all, FacetEndpoints.prefix, FacetEndpoints.limit],
            schema: .named("FacetValues"),
            FacetEndpoints.meaning
        ) { map, call in
            let prefix = try call[FacetEndpoints.prefix] ?? ""
            let choice = FacetChoice(facet, limit: try call[FacetEndpoints.limit], prefix: prefix)
            let box = try call[BoxParameter.optional]
            let found = try await map.facets(choice, in: box, search: try call[StoryFilters.all])
            return Answer(body: FacetJSON.values(found, of: facet))
        }
    }
}
