public import Library
import Formats
import Stories

/// The JSON of collections.
public enum CollectionJSON: Sendable {
    /// Returns the object of a collection.
    public static func json(_ view: CollectionView) -> [UInt8] {
        var json = JSONWriter(capacity: 400)
        write(view, to: &json)
        return json.bytes
    }

    /// Returns a complete list of collections, in the shape of a page.
    public static func page(_ views: [CollectionView]) -> [UInt8] {
        var json = JSONWriter(capacity: 400 * (views.count + 1))
        json.beginObject()
        json.key("collections")
        json.beginArray()
        for view in views { write(view, to: &json) }
        json.endArray()
        json.key("links")
        json.beginObject()
        json.member("next", String?.none)
        json.endObject()
        json.endObject()
        return json.bytes
    }

    /// Writes the object of a collection.
    static func write(_ view: CollectionView, to json: inout JSONWriter) {
        let collection = view.collection
        json.beginObject()
        json.member("id", collection.id.rawValue)
        json.member("title", collection.title)
        json.member("text", collection.text)
        json.member("owner", collection.owner.rawValue)
        json.member("owner_name", view.ownerName)
        json.member("privacy", collection.privacy.rawValue)
        json.member("family", collection.family?.rawValue)
        json.member("story_count", view.storyCount)
        json.member("created_at", RFC3339.format(collection.createdAt))
        json.endObject()
    }
}
