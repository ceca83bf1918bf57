import Formats
import Library

/// A link of the OGC's resources.
struct FeatureLink: Sendable {
    let relation: String
    let mediaType: String
    let title: String
    let address: String

    init(_ relation: String, _ mediaType: String, _ title: String, _ address: String) {
        self.relation = relation
        self.mediaType = mediaType
        self.title = title
        self.address = address
    }

    /// The relation of a collection to the properties by which it is filtered.
    static let queryables = "http://www.opengis.net/def/rel/ogc/1.0/queryables"
    /// The relation of a collection to its vector tiles.
    static let tiles = "http://www.opengis.net/def/rel/ogc/1.0/tilesets-vector"
    /// The relation to the classes that the service conforms to.
    static let conformance = "http://www.opengis.net/def/rel/ogc/1.0/conformance"

    /// Writes the member `links`.
    static func write(_ links: [FeatureLink], to json: inout JSONWriter) {
        json.key("links")
        json.beginArray()
        for link in links {
            json.beginObject()
            json.member("rel", link.relation)
            json.member("type", link.mediaType)
            json.member("title", link.title)
            json.member("href", link.address)
            json.endObject()
        }
        json.endArray()
    }

    /// Returns the links of a resource to itself and to its other representation.
    static func own(
        _ address: String,
        as format: FeatureFormat,
        _ mediaType: String,
        address changed: (FeatureFormat) -> String
    ) -> [FeatureLink] {
        let types: [FeatureFormat: String] = [.json: mediaType, .html: "text/html"]
        let other: FeatureFormat = format == .json ? .html : .json
        return [
            FeatureLink("self", types[format] ?? mediaType, "This document", address),
            FeatureLink(
                "alternate",
                types[other] ?? mediaType,
                other == .html ? "This document as HTML" : "This document as JSON",
                changed(other)
            ),
        ]
    }
}
