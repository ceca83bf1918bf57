import Formats
import Web

/// The chapters of the OpenAPI document, and the values of its examples.
enum APIChapters: Sendable {
    static let all = [
        APITag(
            "Map",
            "Clusters and single stories in a box, as JSON and as vector tiles, and the maps under them.",
            prefixes: ["/v1/clusters", "/v1/tiles", "/v1/tiles.json", "/v1/basemaps", "/v1/bounds", "/v1/events"]
        ),
        APITag(
            "Stories",
            "Lists of stories, and making, changing and deleting them.",
            prefixes: [
                "/v1/stories", "/stories", "/v1/nearby", "/v1/places", "/v1/histogram", "/v1/facets", "/v1/tags",
                "/v1/people", "/v1/imports", "/v1/approximate-cell", "/v1/privacy-levels", "/v1/reports",
                "/v1/named-places", "/v1/collections", "/v1/me/location-proposals",
            ]
        ),
        APITag(
            "OGC API – Features",
            "Stories and their further places as features, for GIS programs such as QGIS and GDAL.",
            prefixes: ["/", "/conformance", "/collections"]
        ),
        APITag(
            "Place names",
            "From names to places and back, also as Nominatim, Photon and Pelias answer.",
            prefixes: ["/v1/geocode", "/v1/reverse", "/v1/suggest", "/nominatim", "/photon", "/pelias"]
        ),
        APITag(
            "Positions and fences",
            "Fixes of phones in, the fences around stories out; traces replayed and routes walked.",
            prefixes: ["/v1/fixes", "/v1/traces", "/v1/walk", "/v1/fences", "/ingest", "/v1/me/devices"]
        ),
        APITag(
            "Notifications",
            "The feed, its settings, and the channels by which notifications leave.",
            prefixes: [
                "/v1/notifications", "/v1/me/notification-settings", "/v1/me/channels", "/v1/unsubscribe",
            ]
        ),
        APITag(
            "Families",
            "Families, their members, and invitations into them.",
            prefixes: ["/v1/families", "/v1/invitations", "/v1/me/invitations"]
        ),
        APITag(
            "Sharing",
            "Links that show stories to people without an account.",
            prefixes: ["/v1/shared", "/v1/me/share-links"]
        ),
        APITag(
            "Offline",
            "What changed, and a region to take along.",
            prefixes: ["/v1/changes", "/v1/offline-package"]
        ),
        APITag(
            "Accounts",
            "Sessions, passkeys, tokens and keys, and everything that is stored about a person.",
            prefixes: ["/v1/me", "/v1/session", "/v1/tokens", "/signin"]
        ),
        APITag(
            "Service",
            "For operators and monitoring, and this description.",
            prefixes: ["/healthz", "/readyz", "/metrics", "/openapi.json", "/openapi-3.0.json", "/docs", "/v1/service"]
        ),
    ]

    /// Values of examples by the names of members and parameters.
    static let samples: [String: JSONValue] = texts.mapValues { .string($0) }.merging(others) { $1 }

    private static let texts = [
        "title": "The tram my father drove", "text": "He drove line 28 for thirty years.", "kind": "interview",
        "date": "1961-05-02", "tag": "trams", "tags": "trams", "person": "Ana Sousa", "people": "Ana Sousa",
        "owner": "ana", "owner_name": "Ana", "user": "ben", "collection": "Trip to Lisbon", "address": "Rua da Bica 5",
        "city": "Lisbon", "state": "Lisbon", "country": "Portugal", "media_url": "https://media.example.org/tram.jpg",
        "thumbnail_url": "https://media.example.org/tram-small.jpg", "alt": "A yellow tram on a hill",
        "url": "https://app.example.org/hooks/waymark", "topic": "waymark-ana", "q": "tram",
        "filter": "kind = 'interview'",
        "datetime": "1961-01-01/1970-12-31", "from": "1961", "to": "1970-12", "label": "Lisbon, Portugal",
        "bbox": "-9.23,38.69,-9.09,38.8", "detail": "Nothing exists at this address, or you may not see it.",
        "type": "/problems/not-found", "href": "/v1/stories?limit=20", "rel": "next", "timezone": "Europe/Lisbon",
        "device": "phone", "reason": "spam", "email": "ana@example.org", "language": "en",
    ]

    private static let others: [String: JSONValue] = [
        "lat": .number(38.7223), "lon": .number(-9.1393), "latitude": .number(38.7223), "longitude": .number(-9.1393),
        "coordinates": .array([.number(-9.1393), .number(38.7223)]), "zoom": .number(12), "limit": .number(20),
        "bbox": .array([.number(-9.23), .number(38.69), .number(-9.09), .number(38.8)]), "acc": .number(8),
        "accuracy": .number(8), "radius": .number(150), "point_count": .number(1_240), "numberMatched": .number(1),
        "places": .array([
            .object([
                "role": .string("spoken_of"), "lat": .number(38.7139), "lon": .number(-9.1334),
                "name": .string("Rua da Bica"), "seconds": .number(760),
            ])
        ]),
        "tags": .array([.string("trams")]), "people": .array([.string("Ana Sousa")]), "status": .number(404),
    ]
}
