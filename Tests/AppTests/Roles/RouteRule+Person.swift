extension RouteRule {
    /// The rows of what a person may know and end of what is kept of them.
    static let person: [String: RouteRule] = [
        "GET /v1/me/export": RouteRule(.user, .nothing(200)),
        // With a parameter that it does not know: done, it would leave nobody to ask the rest.
        "DELETE /v1/me": RouteRule(.user, .nothing(400), query: "?surprise=1"),
        "GET /v1/me/location-data": RouteRule(.user, .nothing(200)),
        "DELETE /v1/me/location-data": RouteRule(.user, .nothing(200)),
        "GET /v1/me/consents": RouteRule(.user, .nothing(200)),
        "DELETE /v1/me/consents": RouteRule(.user, .nothing(200)),
        "GET /v1/me/access-log": RouteRule(.user, .nothing(200)),
    ]
}
