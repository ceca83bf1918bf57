import Library
import Formats
import Stories

/// Writes share links, and what they show.
enum ShareJSON: Sendable {
    /// Returns the list of a user's links.
    static func list(_ views: [ShareLinkView]) -> [UInt8] {
        var json = JSONWriter(capacity: 400 * (views.count + 1))
        json.beginObject()
        json.key("links")
        json.beginArray()
        for view in views {
            json.beginObject()
            writeMembers(of: view, to: &json)
            json.endObject()
        }
        json.endArray()
        json.endObject()
        return json.bytes
    }

    /// Returns a link that was just made, with its secret and the page's address for it.
    ///
    /// The secret stands in the fragment, which browsers send to no server and to no other page.
    static func made(_ view: ShareLinkView, secret: String, origin: String) -> [UInt8] {
        var json = JSONWriter(capacity: 600)
        json.beginObject()
        writeMembers(of: view, to: &json)
        json.member("secret", secret)
        json.member("url", "\(origin)/#share=\(secret)")
        json.endObject()
        return json.bytes
    }

    private static func writeMembers(of view: ShareLinkView, to json: inout JSONWriter) {
        let link = view.link
        var (story, collection): (String?, String?) = (nil, nil)
        switch link.subject {
        case .story(let id): story = id.description
        case .collection(let id): collection = id.rawValue
        }
        json.member("id", link.id)
        json.member("story", story)
        json.member("collection", collection)
        json.member("title", view.title)
        json.member("story_count", view.storyCount)
        json.member("precision", link.precision.rawValue)
        json.member("created_at", RFC3339.format(link.createdAt))
        json.member("expires_at", RFC3339.format(link.expiresAt))
        json.member("last_used_on", link.usedAt?.day?.description)
    }

    /// Returns the answer of `GET /v1/shared`.
    static func subject(_ map: SharedMap) -> [UInt8] {
        var json = JSONWriter(capacity: 400)
        json.beginObject()
        json.member("type", map.collection == nil ? "story" : "collection")
        json.member("title", map.title)
        json.member("owner", map.link.owner.rawValue)
        json.member("owner_name", map.ownerName)
        json.member("precision", map.link.precision.rawValue)
        json.member("story_count", map.storyCount)
        json.member("expires_at", RFC3339.format(map.link.expiresAt))
        json.endObject()
        return json.bytes
    }
}
