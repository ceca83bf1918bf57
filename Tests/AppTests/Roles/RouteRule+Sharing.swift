extension RouteRule {
    /// The rows of share links and of what their holders get.
    static let sharing: [String: RouteRule] = [
        "GET /v1/me/share-links": RouteRule(.user, .nothing(200)),
        "POST /v1/me/share-links": RouteRule(.user, .nothing(404), body: #"{"story":"\#(RoleStage.absent)"}"#),
        "DELETE /v1/me/share-links/{link}": RouteRule(.user, .own(.link, 204)),
        "GET /v1/shared": RouteRule(.link, .nothing(200)),
        "GET /v1/shared/stories": RouteRule(.link, .nothing(200)),
        "GET /v1/shared/stories/{id}": RouteRule(.link, .shared(200, hasPicture: false)),
        "GET /v1/shared/stories/{id}/thumbnail": RouteRule(.link, .shared(200, hasPicture: true)),
        "GET /v1/shared/clusters": RouteRule(.link, .nothing(200), query: "?bbox=-180,-90,180,90&zoom=1"),
        "GET /v1/shared/clusters/{cluster}/stories": RouteRule(.link, .sharedCluster(200)),
        "GET /v1/shared/clusters/{cluster}/children": RouteRule(.link, .sharedCluster(200)),
        "GET /v1/shared/clusters/{cluster}/expansion-zoom": RouteRule(.link, .sharedCluster(200)),
        "GET /v1/shared/bounds": RouteRule(.link, .nothing(200)),
        "GET /v1/shared/nearby": RouteRule(.link, .nothing(200), query: "?lat=33.75&lon=-84.39"),
        "GET /v1/shared/places/{place}/stories": RouteRule(.link, .place(200)),
        "GET /v1/shared/histogram": RouteRule(.link, .nothing(200)),
        "GET /v1/shared/facets": RouteRule(.link, .nothing(200)),
        "GET /v1/shared/tags": RouteRule(.link, .nothing(200)),
        "GET /v1/shared/people": RouteRule(.link, .nothing(200)),
    ]
}
