/// The media types the service speaks.
enum MediaType: Sendable {
    static let json = "application/json"
    static let geoJSON = "application/geo+json"
    static let any = "*/*"
    static let problem = "application/problem+json"
    static let vectorTile = "application/vnd.mapbox-vector-tile"
    static let zip = "application/zip"
    static let eventStream = "text/event-stream"
    static let text = "text/plain; charset=utf-8"
    static let xml = "text/xml; charset=utf-8"
    static let javaScript = "application/javascript; charset=utf-8"
    static let html = "text/html; charset=utf-8"
}
