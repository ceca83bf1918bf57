import Formats
import Stories

/// A IIIF collection (Presentation 3) of one manifest a story, each with its place (navPlace) and date (navDate).
struct NavPlaceForm: TextForm {
    let options: ExportOptions

    /// IIIF requires addresses as ids; this one says that it leads nowhere.
    private var address: String { options.address ?? "https://waymark.invalid" }

    var head: [UInt8] {
        let contexts = """
            ["http://iiif.io/api/extension/navplace/context.json","http://iiif.io/api/presentation/3/context.json"]
            """
        return Array(
            """
            {"@context":\(contexts),"id":"\(address)/stories.json","type":"Collection","label":{"none":["Stories"]},"items":[

            """
            .utf8
        )
    }
    var foot: [UInt8] { Array("\n]}\n".utf8) }
    var separator: [UInt8] { Array(",\n".utf8) }

    func bytes(of story: ExportedStory) -> [UInt8]? {
        let id = "\(address)/stories/\(story.story.id)"
        var json = JSONWriter(capacity: 2_048)
        json.beginObject()
        json.member("id", id + "/manifest")
        json.member("type", "Manifest")
        json.key("label")
        write(story.story.title, to: &json)
        if let text = story.story.text {
            json.key("summary")
            write(text, to: &json)
        }
        if let date = story.times.date { writeMetadata("Date", date.text, to: &json) }
        // navDate is one instant: the first day, as a span has no other.
        if let first = story.days.first, first.components.year >= 1 { json.member("navDate", "\(first)T00:00:00Z") }
        writeThumbnail(story.story, to: &json)
        if let location = story.location { writePlace(location, of: story, id: id, to: &json) }
        json.key("homepage")
        json.beginArray()
        json.beginObject()
        json.member("id", id)
        json.member("type", "Text")
        json.key("label")
        write(story.story.title, to: &json)
        json.member("format", "text/html")
        json.endObject()
        json.endArray()
        json.key("items")
        json.beginArray()
        writeCanvas(id: id, to: &json)
        json.endArray()
        json.endObject()
        return json.bytes
    }

    /// Writes a text in no particular language.
    private func write(_ text: String, to json: inout JSONWriter) {
        json.beginObject()
        json.member("none", [text])
        json.endObject()
    }

    private func writeMetadata(_ label: String, _ value: String, to json: inout JSONWriter) {
        json.key("metadata")
        json.beginArray()
        json.beginObject()
        json.key("label")
        write(label, to: &json)
        json.key("value")
        write(value, to: &json)
        json.endObject()
        json.endArray()
    }

    private func writeThumbnail(_ story: Story, to json: inout JSONWriter) {
        guard let picture = story.thumbnailURL else { return }
        json.key("thumbnail")
        json.beginArray()
        json.beginObject()
        json.member("id", picture)
        json.member("type", "Image")
        json.endObject()
        json.endArray()
    }

    private func writePlace(
        _ location: StoryLocation,
        of story: ExportedStory,
        id: String,
        to json: inout JSONWriter
    ) {
        json.key("navPlace")
        json.beginObject()
        json.member("id", id + "/place")
        json.member("type", "FeatureCollection")
        json.key("features")
        json.beginArray()
        json.beginObject()
        json.member("id", id + "/place/1")
        json.member("type", "Feature")
        json.key("properties")
        json.beginObject()
        json.key("label")
        write(story.placeName ?? story.story.title, to: &json)
        json.endObject()
        json.key("geometry")
        GeoJSONShapes.writePoint(location.coordinate, to: &json)
        json.endObject()
        json.endArray()
        json.endObject()
    }

    /// A manifest has at least one canvas; the recording or picture itself stays where it is.
    private func writeCanvas(id: String, to json: inout JSONWriter) {
        json.beginObject()
        json.member("id", id + "/canvas/1")
        json.member("type", "Canvas")
        json.member("height", 600)
        json.member("width", 800)
        json.endObject()
    }
}
