import Formats
import Library
import Stories

/// Writes the further places of stories as their viewers may see them.
enum PlaceJSON: Sendable {
    /// Writes places as a list.
    static func write(_ places: [StoryPlace], to json: inout JSONWriter) {
        json.beginArray()
        for place in places { write(place, to: &json) }
        json.endArray()
    }

    /// Writes one place.
    static func write(_ place: StoryPlace, to json: inout JSONWriter) {
        json.beginObject()
        json.member("id", place.id.description)
        writeMembers(of: place, to: &json)
        json.endObject()
    }

    private static func writeMembers(of place: StoryPlace, to json: inout JSONWriter) {
        json.member("role", place.role.rawValue)
        json.member("seconds", place.seconds)
        json.key("geometry")
        PlaceGeometry.write(place, to: &json)
        StoryJSON.writeMembers(of: place.location, isConfirmed: place.isConfirmed, isFurther: true, to: &json)
    }

    /// Writes a place that waits for the owner of its story, with the story.
    static func write(_ waiting: StoryPlaceService.Waiting, to json: inout JSONWriter) {
        json.beginObject()
        json.member("id", waiting.place.id.description)
        json.member("story", waiting.story.id.description)
        json.member("title", waiting.story.title)
        writeMembers(of: waiting.place, to: &json)
        json.endObject()
    }
}

extension StoryView {
    /// The further places as the viewer may see them.
    var places: [StoryPlace] { story.places(for: viewer) }
}
