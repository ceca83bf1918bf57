import Web
import Library
import Formats
import HTTPTypes
import Stories

// Collections as trips.
extension CollectionEndpoints {
    var stories: Endpoint {
        Endpoint(
            method: .get,
            path: "/v1/collections/\(PathPart.collection)/stories",
            name: "collectionStories",
            summary: """
                Returns the stories of a collection that the viewer may see, as a trip: in the order that its owner gave \
                them, then by date.
                """,
            access: .anyone,
            scope: .storiesRead,
            cost: .normal,
            caching: .revalidate,
            success: [
                .init(
                    status: .ok,
                    mediaType: MediaType.geoJSON,
                    schema: .named("StoryCollection"),
                    description: "A GeoJSON FeatureCollection of at most \(StoryLimits.tripLength) stories."
                )
            ],
            handler: { call in
                let id = try call[PathPart.collection]
                let order = try await library.collections.storyOrder(of: id, visibleTo: call.viewer)
                let trip = try await CollectionTrip(library.maps)
                    .stories(of: id, arranged: order, viewer: call.viewer)
                return Answer(mediaType: MediaType.geoJSON, body: StoryListJSON.page(trip))
            }
        )
    }

    var order: Endpoint {
        Endpoint(
            method: .put,
            path: "/v1/collections/\(PathPart.collection)/order",
            name: "orderCollection",
            summary: """
                Sets the order of the stories of the caller's collection. Those that are not named follow by date.
                """,
            access: .user,
            scope: .storiesWrite,
            cost: .normal,
            body: .init(schema: "CollectionOrder", maxBytes: 32_768),
            success: [CollectionEndpoints.done],
            handler: { call in
                let ids = (call.body?["stories"]?.array ?? []).compactMap { $0.string.flatMap { StoryID($0) } }
                try await library.collections.order(ids, of: try call[PathPart.collection], by: try call.user)
                return .noContent
            }
        )
    }
}
