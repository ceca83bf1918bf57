import Library
import Formats
import StoryMap

/// Writes the counts of attributes of stories.
enum FacetJSON: Sendable {
    /// The lists of `GET /v1/facets` with the filters that take their values, in the order of the answer.
    static let lists: [(name: String, filter: String, facet: FacetSet)] = [
        ("kinds", "kind", .kinds), ("views", "view", .views), ("owners", "owner", .owners),
        ("families", "family", .families), ("collections", "collection", .collections),
    ]

    /// The facets of these lists.
    static let listed = lists.reduce(into: FacetSet()) { $0.formUnion($1.facet) }

    /// Returns the answer of `GET /v1/facets`.
    static func facets(_ found: StoryFacets) -> [UInt8] {
        var json = JSONWriter(capacity: 2_000)
        json.beginObject()
        json.member("numberMatched", found.counts.total)
        for list in lists {
            json.key(list.name)
            write(found, list.facet, to: &json)
        }
        json.member("favourites", found.counts.favourites)
        json.endObject()
        return json.bytes
    }

    /// Returns the values of one facet.
    static func values(_ found: StoryFacets, of facet: FacetSet) -> [UInt8] {
        var json = JSONWriter(capacity: 2_000)
        write(found, facet, to: &json)
        return json.bytes
    }

    private static func write(_ found: StoryFacets, _ facet: FacetSet, to json: inout JSONWriter) {
        let values = found.counts.values[facet] ?? FacetValues()
        let names = found.names[facet] ?? [:]
        json.beginObject()
        json.member("numberMatched", values.distinct)
        json.key("values")
        json.beginArray()
        for entry in values.entries {
            json.beginObject()
            json.member("value", entry.value)
            if let name = names[entry.value] { json.member("name", name) }
            json.member("count", entry.count)
            json.endObject()
        }
        json.endArray()
        json.endObject()
    }
}
