/// The media types that the service uses.
package enum MediaType: Sendable {
    package static let json = "application/json"
    package static let geoJSON = "application/geo+json"
    package static let any = "*/*"
    package static let problem = "application/problem+json"
    package static let vectorTile = "application/vnd.mapbox-vector-tile"
    package static let jpeg = "image/jpeg"
    package static let png = "image/png"
    package static let webp = "image/webp"
    package static let zip = "application/zip"
    package static let eventStream = "text/event-stream"
    package static let text = "text/plain; charset=utf-8"
    package static let xml = "text/xml; charset=utf-8"
    package static let javaScript = "application/javascript; charset=utf-8"
    package static let html = "text/html; charset=utf-8"
}
