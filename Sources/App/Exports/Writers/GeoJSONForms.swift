import Formats

/// A FeatureCollection (RFC 7946) with a JSON-LD context, or a feature a line.
struct GeoJSONForm: TextForm {
    let options: ExportOptions
    /// Whether each feature is a line of its own.
    let isSequence: Bool

    var head: [UInt8] {
        guard !isSequence else { return [] }
        var json = JSONWriter(capacity: 3_000)
        json.beginObject()
        json.member("type", "FeatureCollection")
        if let reference = options.reference {
            // GeoJSON of 2008, which GDAL and imports read; RFC 7946 knows WGS 84 alone.
            json.key("crs")
            json.beginObject()
            json.member("type", "name")
            json.key("properties")
            json.beginObject()
            json.member("name", reference.name)
            json.endObject()
            json.endObject()
        }
        json.key("@context")
        json.raw(LinkedDataContext.bytes(address: options.address))
        json.key("features")
        return json.bytes + Array("[\n".utf8)
    }

    var foot: [UInt8] { isSequence ? [] : Array("\n]}\n".utf8) }
    var separator: [UInt8] { isSequence ? [] : Array(",\n".utf8) }

    func bytes(of story: ExportedStory) -> [UInt8]? {
        var json = JSONWriter(capacity: 2_048)
        let words: (inout JSONWriter) -> Void = { GeoJSONForm.writeWords(of: story, to: &$0) }
        if options.reference == nil {
            StoryJSON.writeFeature(story.view, properties: words, to: &json)
        } else {
            StoryJSON.writeFeature(
                story.view,
                geometry: { write(story.position, to: &$0) },
                properties: words,
                to: &json
            )
        }
        if isSequence { json.endLine() }
        return json.bytes
    }

    private static let wordColumns = ExportColumn.rest.filter { ExportColumn.ofWords.contains($0.name) }

    /// Writes what an archive says in words about the place of a story without a location, as in tables.
    private static func writeWords(of story: ExportedStory, to json: inout JSONWriter) {
        guard story.words != nil else { return }
        for column in wordColumns {
            switch column.value(story) {
            case .text(let text): json.member(column.name, text)
            case .flag(let flag): json.member(column.name, flag)
            case .number(let number): json.member(column.name, number)
            default: continue
            }
        }
    }

    private func write(_ position: ExportedStory.Position?, to json: inout JSONWriter) {
        guard let position else { return json.null() }
        json.beginObject()
        json.member("type", "Point")
        json.key("coordinates")
        json.beginArray()
        for number in [position.x, position.y] {
            if options.reference?.isGeographic == true { json.degrees(number) } else { json.value(number) }
        }
        json.endArray()
        json.endObject()
    }
}

/// What the members of exported GeoJSON mean, for programs that read linked data (JSON-LD 1.1).
///
/// It stands in the file, so that nobody has to fetch it.
enum LinkedDataContext {
    private static let terms: [(name: String, meaning: String)] = [
        ("geojson", "https://purl.org/geojson/vocab#"), ("dcterms", "http://purl.org/dc/terms/"),
        ("schema", "https://schema.org/"), ("geo", "http://www.w3.org/2003/01/geo/wgs84_pos#"),
        ("waymark", "urn:waymark:term:"), ("type", "@type"), ("id", "@id"), ("Feature", "geojson:Feature"),
        ("FeatureCollection", "geojson:FeatureCollection"), ("Point", "geojson:Point"),
        ("geometry", "geojson:geometry"), ("properties", "@nest"), ("kind", "dcterms:type"),
        ("title", "dcterms:title"), ("text", "dcterms:description"), ("date", "dcterms:date"),
        ("tags", "dcterms:subject"), ("people", "schema:about"), ("mentions", "schema:mentions"),
        ("collection", "dcterms:isPartOf"), ("alt", "schema:abstract"), ("owner_name", "schema:accountablePerson"),
        ("privacy", "dcterms:accessRights"), ("location", "dcterms:spatial"), ("lat", "geo:lat"), ("lon", "geo:long"),
        ("name", "schema:name"), ("address", "schema:streetAddress"), ("city", "schema:addressLocality"),
        ("state", "schema:addressRegion"), ("country", "schema:addressCountry"), ("precision", "waymark:precision"),
        ("created_at", "dcterms:created"), ("updated_at", "dcterms:modified"),
    ]
    private static let links = [("media_url", "schema:contentUrl"), ("thumbnail_url", "schema:thumbnailUrl")]

    static func bytes(address: String?) -> [UInt8] {
        var json = JSONWriter(capacity: 2_500)
        json.beginObject()
        json.member("@version", 1.1)
        // Ids become addresses of the stories' pages.
        if let address { json.member("@base", address + "/stories/") }
        for (name, meaning) in terms {
            json.key(name)
            json.value(meaning)
        }
        for (name, meaning) in links {
            json.key(name)
            json.beginObject()
            json.member("@id", meaning)
            json.member("@type", "@id")
            json.endObject()
        }
        for (name, container) in [("features", "@set"), ("coordinates", "@list")] {
            json.key(name)
            json.beginObject()
            json.member("@id", "geojson:" + name)
            json.member("@container", container)
            json.endObject()
        }
        json.endObject()
        return json.bytes
    }
}
