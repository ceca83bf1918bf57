public import Library
import Formats
public import Stories

/// Writes lists of stories as GeoJSON FeatureCollections.
public enum StoryListJSON: Sendable {
    /// Returns a page of a list, in the same shape for every list of stories; `link` is the URL of the next page.
    public static func page(_ list: StoryList, next link: String? = nil) -> [UInt8] {
        var json = JSONWriter(capacity: 1_024 * (list.stories.count + 1))
        json.beginObject()
        json.member("type", "FeatureCollection")
        json.member("numberMatched", list.matched)
        json.member("numberReturned", list.stories.count)
        json.key("features")
        json.beginArray()
        for story in list.stories { StoryJSON.writeFeature(story, to: &json) }
        json.endArray()
        json.key("links")
        json.beginArray()
        if let link {
            json.beginObject()
            json.member("rel", "next")
            json.member("type", MediaType.geoJSON)
            json.member("href", link)
            json.endObject()
        }
        json.endArray()
        json.endObject()
        return json.bytes
    }

    /// Returns the answer of `GET /v1/nearby`: stories with their distance in metres and, unless it is the
    /// story's own location, the id of the place that is so near.
    public static func nearby(_ stories: [(story: StoryView, distance: Double?, place: StoryID?)]) -> [UInt8] {
        var json = JSONWriter(capacity: 1_024 * (stories.count + 1))
        json.beginObject()
        json.member("type", "FeatureCollection")
        json.member("numberReturned", stories.count)
        json.key("features")
        json.beginArray()
        for (story, distance, place) in stories {
            // Rounded to decimetres: points are no more precise than that.
            let rounded = distance.map { ($0 * 10).rounded() / 10 }
            StoryJSON.writeFeature(story, distance: rounded, place: place, to: &json)
        }
        json.endArray()
        json.endObject()
        return json.bytes
    }
}
