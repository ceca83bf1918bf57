import Library
import Formats
import Stories

/// Writes the changes for a viewer since their last sync.
struct ChangesJSON: StoryPageWriter {
    private var changed = JSONWriter(capacity: 65_536)

    /// Starts a page.
    init() { changed.beginArray() }

    var length: Int { changed.bytes.count }

    mutating func add(_ story: StoryView) { StoryJSON.write(story, to: &changed) }

    /// Returns the answer of `GET /v1/changes` with the stories added; `next` is the text of its cursor.
    func page(_ changes: Changes, next: String) -> [UInt8] {
        var changed = changed
        changed.endArray()
        var json = JSONWriter(capacity: changed.bytes.count + 40 * changes.gone.count + 400)
        json.beginObject()
        json.key("changed")
        json.raw(changed.bytes)
        json.member("gone", changes.gone.map(\.description))
        if let marks = changes.marks { ChangesJSON.write(marks, to: &json) }
        if let collections = changes.collections { ChangesJSON.write(collections, to: &json) }
        json.member("next", next)
        json.member("more", changes.isMore)
        json.member("synced_at", RFC3339.format(changes.target))
        json.member("last_synced_at", changes.since.map { RFC3339.format($0) })
        json.key("links")
        json.beginArray()
        json.beginObject()
        json.member("rel", "next")
        json.member("type", MediaType.json)
        json.member("href", "/v1/changes?since=" + next)
        json.endObject()
        json.endArray()
        json.endObject()
        return json.bytes
    }

    private static func write(_ collections: [SyncedCollection], to json: inout JSONWriter) {
        json.key("collections")
        json.beginArray()
        for entry in collections {
            let collection = entry.collection
            json.beginObject()
            json.member("id", collection.id.rawValue)
            json.member("title", collection.title)
            json.member("text", collection.text)
            json.member("owner", collection.owner.rawValue)
            json.member("privacy", collection.privacy.rawValue)
            json.member("family", collection.family?.rawValue)
            json.member("created_at", RFC3339.format(collection.createdAt))
            json.member("order", entry.order.map(\.description))
            json.endObject()
        }
        json.endArray()
    }

    private static func write(_ marks: MarkChanges, to json: inout JSONWriter) {
        let lists = [("favourites", marks.favourites), ("hidden", marks.hidden), ("viewed", marks.viewed)]
        json.key("marks")
        json.beginObject()
        for case (let name, let ids?) in lists { json.member(name, ids.map(\.description)) }
        json.endObject()
    }
}
