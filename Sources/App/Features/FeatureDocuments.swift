import Formats
import Geometry
import Library
import Queries

/// Writes the documents that describe the collections of features (OGC API – Features, 17-069r3, 18-058 and 19-079r2).
enum FeatureDocuments: Sendable {
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

    /// Returns the list of collections; the boxes surround everything in them that the viewer may see.
    static func collections(
        _ collections: [(collection: FeatureLayer, box: BoundingBox?)],
        base: String,
        own: [FeatureLink]
    ) -> [UInt8] {
        document { json in
            FeatureLink.write(own, to: &json)
            json.member("crs", ReferenceSystem.all.map(\.uri))
            json.key("collections")
            json.beginArray()
            for (collection, box) in collections {
                let links = [FeatureLink("self", MediaType.json, "This collection", base + collection.path)]
                write(collection, base: base, own: links, box: box, to: &json)
            }
            json.endArray()
        }
    }

    /// Returns the description of a collection; `box` surrounds everything in it that the viewer may see.
    static func collection(
        _ collection: FeatureLayer,
        base: String,
        own: [FeatureLink],
        box: BoundingBox?
    ) -> [UInt8] {
        var json = JSONWriter(capacity: 2_000)
        write(collection, base: base, own: own, box: box, to: &json)
        return json.bytes
    }

    private static func write(
        _ collection: FeatureLayer,
        base: String,
        own: [FeatureLink],
        box: BoundingBox?,
        to json: inout JSONWriter
    ) {
        json.beginObject()
        json.member("id", collection.id)
        json.member("title", collection.title)
        json.member("description", collection.text)
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
        FeatureLink.write(own + links(of: collection, base: base), to: &json)
        json.endObject()
    }

    /// Returns the links of a collection to what belongs to it.
    private static func links(of collection: FeatureLayer, base: String) -> [FeatureLink] {
        let (address, noun) = (base + collection.path, collection.noun)
        let links = [
            FeatureLink("items", MediaType.geoJSON, "The \(noun) as GeoJSON", address + "/items"),
            FeatureLink("items", "text/html", "The \(noun) as HTML", address + "/items?f=html"),
            FeatureLink(
                FeatureLink.queryables,
                MediaType.jsonSchema,
                "Properties for filters",
                address + "/queryables"
            ),
        ]
        guard collection.hasTiles else { return links }
        return links + [
            FeatureLink(FeatureLink.tiles, MediaType.json, "Vector tiles (TileJSON)", base + "/v1/tiles.json")
        ]
    }

    /// Returns the properties by which the features of a collection are filtered, as a JSON Schema.
    static func queryables(of collection: FeatureLayer, address: String, links: [FeatureLink]) -> [UInt8] {
        document { json in
            json.member("$schema", "https://json-schema.org/draft/2020-12/schema")
            json.member("$id", address)
            json.member("type", "object")
            json.member("title", collection.title)
            json.member("description", collection.text)
            json.key("properties")
            json.beginObject()
            for entry in collection.queryables {
                json.key(entry.property.name)
                json.beginObject()
                json.member("title", entry.property.name)
                json.member("description", entry.description)
                writeType(entry.property, of: collection, to: &json)
                json.endObject()
            }
            json.endObject()
            json.member("additionalProperties", false)
            FeatureLink.write(links, to: &json)
        }
    }

    private static func writeType(
        _ property: QueryProperty,
        of collection: FeatureLayer,
        to json: inout JSONWriter
    ) {
        switch property.kind {
        case .text: json.member("type", "string")
        case .number: json.member("type", "number")
        case .boolean: json.member("type", "boolean")
        case .time:
            json.member("type", "string")
            json.member("format", property.name == "date" ? "date" : "date-time")
            if property.name == "date" { json.member("x-ogc-role", "primary-instant") }
        case .geometry:
            json.member("format", collection.geometryFormat)
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
