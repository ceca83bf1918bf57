import Formats
import Geometry
import Library
import Queries

/// Writes the documents that describe the collection of features (OGC API – Features, 17-069r3, 18-058 and 19-079r2).
enum FeatureDocuments: Sendable {
    /// The name of the only collection.
    static let collection = "stories"
    private static let title = "Stories"
    private static let text = "The stories that the viewer may see, each at the point that the viewer gets."
    private static let service = "Waymark"
    private static let serviceText =
        "Stories of families and communities on a map. Every answer holds only what its viewer may see."

    private static let part1 = "http://www.opengis.net/spec/ogcapi-features-1/1.0/conf/"
    private static let part3 = "http://www.opengis.net/spec/ogcapi-features-3/1.0/conf/"
    private static let language = "http://www.opengis.net/spec/cql2/1.0/conf/"

    /// The classes that the service conforms to.
    static let classes: [String] =
        ["core", "oas30", "geojson", "html"].map { part1 + $0 }
        + ["http://www.opengis.net/spec/ogcapi-features-2/1.0/conf/crs"]
        + ["queryables", "filter", "features-filter"].map { part3 + $0 }
        + ["cql2-text", "basic-cql2", "advanced-comparison-operators", "basic-spatial-functions"].map { language + $0 }

    /// Returns the landing page; `own` are its links to itself.
    static func landing(base: String, own: [FeatureLink]) -> [UInt8] {
        document { json in
            json.member("title", service)
            json.member("description", serviceText)
            FeatureLink.write(own + landingLinks(base: base), to: &json)
        }
    }

    /// Returns the links of the landing page to everything else.
    static func landingLinks(base: String) -> [FeatureLink] {
        [
            // Only one of each type: GDAL ignores the description if it finds two.
            FeatureLink("service-desc", MediaType.openAPI30, "The API in OpenAPI 3.0", base + "/openapi-3.0.json"),
            FeatureLink("service-doc", "text/html", "The API as a page", base + "/docs"),
            FeatureLink("conformance", MediaType.json, "Classes of conformance", base + "/conformance"),
            FeatureLink(FeatureLink.conformance, MediaType.json, "Classes of conformance", base + "/conformance"),
            FeatureLink("data", MediaType.json, "Collections", base + "/collections"),
        ]
    }

    /// Returns the classes that the service conforms to.
    static func conformance(links: [FeatureLink]) -> [UInt8] {
        document { json in
            json.member("conformsTo", classes)
            FeatureLink.write(links, to: &json)
        }
    }

    /// Returns the list of collections; `box` surrounds everything that the viewer may see.
    static func collections(base: String, own: [FeatureLink], box: BoundingBox?) -> [UInt8] {
        document { json in
            FeatureLink.write(own, to: &json)
            json.member("crs", ReferenceSystem.all.map(\.uri))
            json.key("collections")
            json.beginArray()
            let address = "\(base)/collections/\(collection)"
            let links = [FeatureLink("self", MediaType.json, "This collection", address)]
            writeCollection(base: base, own: links, box: box, to: &json)
            json.endArray()
        }
    }

    /// Returns the description of the collection of stories.
    static func collection(base: String, own: [FeatureLink], box: BoundingBox?) -> [UInt8] {
        var json = JSONWriter(capacity: 2_000)
        writeCollection(base: base, own: own, box: box, to: &json)
        return json.bytes
    }

    private static func writeCollection(
        base: String,
        own: [FeatureLink],
        box: BoundingBox?,
        to json: inout JSONWriter
    ) {
        let address = "\(base)/collections/\(collection)"
        json.beginObject()
        json.member("id", collection)
        json.member("title", title)
        json.member("description", text)
        json.member("itemType", "feature")
        if let box {
            json.key("extent")
            json.beginObject()
            json.key("spatial")
            json.beginObject()
            json.key("bbox")
            json.beginArray()
            GeoJSONShapes.writeBox(box, to: &json)
            json.endArray()
            json.member("crs", ReferenceSystem.degrees.uri)
            json.endObject()
            json.endObject()
        }
        json.member("crs", ReferenceSystem.all.map(\.uri))
        json.member("storageCrs", ReferenceSystem.degrees.uri)
        let links = [
            FeatureLink("items", MediaType.geoJSON, "The stories as GeoJSON", address + "/items"),
            FeatureLink("items", "text/html", "The stories as HTML", address + "/items?f=html"),
            FeatureLink(
                FeatureLink.queryables,
                MediaType.jsonSchema,
                "Properties for filters",
                address + "/queryables"
            ),
            FeatureLink(FeatureLink.tiles, MediaType.json, "Vector tiles (TileJSON)", base + "/v1/tiles.json"),
        ]
        FeatureLink.write(own + links, to: &json)
        json.endObject()
    }

    /// Returns the properties by which features are filtered, as a JSON Schema.
    static func queryables(address: String, links: [FeatureLink]) -> [UInt8] {
        document { json in
            json.member("$schema", "https://json-schema.org/draft/2020-12/schema")
            json.member("$id", address)
            json.member("type", "object")
            json.member("title", title)
            json.member("description", text)
            json.key("properties")
            json.beginObject()
            for entry in FeatureQueryables.all {
                json.key(entry.property.name)
                json.beginObject()
                json.member("title", entry.property.name)
                json.member("description", entry.description)
                writeType(entry.property, to: &json)
                json.endObject()
            }
            json.endObject()
            json.member("additionalProperties", false)
            FeatureLink.write(links, to: &json)
        }
    }

    private static func writeType(_ property: QueryProperty, to json: inout JSONWriter) {
        switch property.kind {
        case .text: json.member("type", "string")
        case .number: json.member("type", "number")
        case .boolean: json.member("type", "boolean")
        case .time:
            json.member("type", "string")
            json.member("format", property.name == "date" ? "date" : "date-time")
            if property.name == "date" { json.member("x-ogc-role", "primary-instant") }
        case .geometry:
            json.member("format", "geometry-point")
            json.member("x-ogc-role", "primary-geometry")
        }
    }

    private static func document(_ write: (inout JSONWriter) -> Void) -> [UInt8] {
        var json = JSONWriter(capacity: 2_000)
        json.beginObject()
        write(&json)
        json.endObject()
        return json.bytes
    }
}
