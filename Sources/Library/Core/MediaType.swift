/// The media types that the service uses.
package enum MediaType: Sendable {
    package static let json = "application/json"
    package static let geoJSON = "application/geo+json"
    package static let jsonSchema = "application/schema+json"
    /// OpenAPI 3.0; GDAL compares the text of a link with this one.
    package static let openAPI30 = "application/vnd.oai.openapi+json;version=3.0"
    package static let openAPI31 = "application/vnd.oai.openapi+json;version=3.1"
    package static let form = "application/x-www-form-urlencoded"
    package static let octets = "application/octet-stream"
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

    /// What clients name files of traces; the service looks into the file alone.
    package static let traces = [
        "application/gpx+xml", "application/vnd.garmin.tcx+xml", geoJSON, json, "text/csv", "application/gzip",
    ]
    /// What clients name files of stories; the service looks into the file alone.
    package static let imports = [
        "text/csv", "text/tab-separated-values", geoJSON, json, "application/gpx+xml",
        "application/vnd.google-earth.kml+xml", "application/vnd.google-earth.kmz",
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        "application/vnd.oasis.opendocument.spreadsheet", "text/vnd.familysearch.gedcom", "application/xml",
        "application/gzip",
    ]
}
