extension RouteRule {
    /// The rows of lists, collections, named places and favourites.
    static let lists: [String: RouteRule] = [
        "GET /v1/nearby": RouteRule(.anyone, .nothing(200), query: "?lat=1&lon=2"),
        "GET /v1/places/{place}/stories": RouteRule(.anyone, .place(200)),
        "GET /v1/clusters/{cluster}/stories": RouteRule(.anyone, .cluster(200)),
        "GET /v1/clusters/{cluster}/children": RouteRule(.anyone, .cluster(200)),
        "GET /v1/clusters/{cluster}/expansion-zoom": RouteRule(.anyone, .cluster(200)),
        "GET /v1/tiles/{z}/{x}/{y}.mvt": RouteRule(.anyone, .tile(200, empty: 204)),
        "GET /v1/tiles/{z}/{x}/{y}.pbf": RouteRule(.anyone, .tile(200, empty: 204)),
        "GET /v1/tiles.json": RouteRule(.anyone, .nothing(200)),
        "GET /": RouteRule(.anyone, .nothing(200)),
        "GET /conformance": RouteRule(.anyone, .nothing(200)),
        "GET /collections": RouteRule(.anyone, .nothing(200)),
        "GET /collections/stories": RouteRule(.anyone, .nothing(200)),
        "GET /collections/stories/queryables": RouteRule(.anyone, .nothing(200)),
        "GET /collections/stories/items": RouteRule(.anyone, .nothing(200)),
        "GET /collections/stories/items/{id}": RouteRule(.anyone, .story(own: 200, others: 200)),
        "GET /collections/story_places": RouteRule(.anyone, .nothing(200)),
        "GET /collections/story_places/queryables": RouteRule(.anyone, .nothing(200)),
        "GET /collections/story_places/items": RouteRule(.anyone, .nothing(200)),
        "GET /collections/story_places/items/{story_place}": RouteRule(
            .anyone,
            .storyPlace(own: 200, others: 200, isWaiting: false)
        ),
        "GET /v1/basemaps": RouteRule(.anyone, .nothing(200)),
        "GET /v1/basemaps/{basemap}": RouteRule(.anyone, .basemap(200)),
        "GET /v1/basemaps/{basemap}/archive.pmtiles": RouteRule(.anyone, .basemap(200)),
        "GET /v1/basemaps/{basemap}/{z}/{x}/{y}": RouteRule(.anyone, .basemap(200)),
        "GET /v1/histogram": RouteRule(.anyone, .nothing(200)),
        "GET /v1/facets": RouteRule(.anyone, .nothing(200)),
        "GET /v1/export": RouteRule(.user, .nothing(200)),
        "GET /v1/tags": RouteRule(.anyone, .nothing(200)),
        "GET /v1/people": RouteRule(.anyone, .nothing(200)),
        "GET /v1/collections": RouteRule(.anyone, .nothing(200)),
        "GET /v1/collections/{collection}": RouteRule(.anyone, .collection(own: 200, others: 200)),
        "GET /v1/collections/{collection}/stories": RouteRule(.anyone, .collection(own: 200, others: 200)),
        "PUT /v1/collections/{collection}/order": RouteRule(
            .user,
            .collection(own: 204, others: 403),
            body: #"{"stories":[]}"#
        ),
        "DELETE /v1/collections/{collection}": RouteRule(.user, .collection(own: 204, others: 403)),
        // Every title is somebody's once: this one is wrong, so that the row holds for every role.
        "POST /v1/collections": RouteRule(.user, .nothing(422), body: #"{"title":" "}"#),
        "GET /v1/named-places": RouteRule(.anyone, .nothing(200)),
        "GET /v1/named-places/{named_place}": RouteRule(.anyone, .namedPlace(own: 200, others: 200)),
        "POST /v1/named-places": RouteRule(.user, .nothing(201), body: #"{"name":"Here","lat":1,"lon":2}"#),
        "PATCH /v1/named-places/{named_place}": RouteRule(
            .user,
            .namedPlace(own: 200, others: 403),
            body: #"{"privacy":"private"}"#
        ),
        "DELETE /v1/named-places/{named_place}": RouteRule(.user, .namedPlace(own: 204, others: 403)),
        "PUT /v1/stories/{id}/favourite": RouteRule(.user, .story(own: 204, others: 204)),
        "DELETE /v1/stories/{id}/favourite": RouteRule(.user, .story(own: 204, others: 204)),
        "POST /v1/stories/{id}/viewed": RouteRule(.user, .story(own: 204, others: 204)),
    ]
}
