import Formats
import Geometry
public import Stories

/// The JSON of named places.
public enum NamedPlaceJSON: Sendable {
    /// Returns the object of a place.
    public static func json(_ place: NamedPlace) -> [UInt8] {
        var json = JSONWriter(capacity: 400)
        write(place, to: &json)
        return json.bytes
    }

    /// Returns a complete list of places, in the shape of a page.
    public static func page(_ places: [NamedPlace]) -> [UInt8] {
        var json = JSONWriter(capacity: 400 * (places.count + 1))
        json.beginObject()
        json.key("named_places")
        json.beginArray()
        for place in places { write(place, to: &json) }
        json.endArray()
        json.key("links")
        json.beginObject()
        json.member("next", String?.none)
        json.endObject()
        json.endObject()
        return json.bytes
    }

    /// Writes the object of a place.
    static func write(_ place: NamedPlace, to json: inout JSONWriter) {
        json.beginObject()
        json.member("id", place.id.rawValue)
        json.member("name", place.name)
        json.key("lat")
        json.degrees(place.coordinate.latitude)
        json.key("lon")
        json.degrees(place.coordinate.longitude)
        json.member("radius", place.radius)
        json.member("owner", place.owner.rawValue)
        json.member("privacy", place.privacy.rawValue)
        json.member("family", place.family?.rawValue)
        json.member("held", place.isHeld)
        json.member("created_at", RFC3339.format(place.createdAt))
        json.member("updated_at", RFC3339.format(place.updatedAt))
        json.endObject()
    }
}
