import Formats
import Geometry
import Library
import Queries
import Stories
import StoryMap
import Web

/// Writes features in a reference system.
struct FeatureItems {
    let system: ReferenceSystem
    let projection: FeatureProjection

    /// Returns a page of stories; `matched` is the number on all pages, if it is known.
    func page(_ stories: [StoryView], matched: Int?, links: [FeatureLink]) throws -> [UInt8] {
        let positions = try positions(of: stories)
        return FeatureItems.page(stories.count, matched: matched, links: links) { json in
            for (story, position) in zip(stories, positions) {
                StoryJSON.writeFeature(story, geometry: { write(position, to: &$0) }, to: &json)
            }
        }
    }

    /// Returns a page of `count` features, which `write` writes one after another.
    static func page(
        _ count: Int,
        matched: Int?,
        links: [FeatureLink],
        _ write: (inout JSONWriter) -> Void
    ) -> [UInt8] {
        var json = JSONWriter(capacity: 1_024 * (count + 1))
        json.beginObject()
        json.member("type", "FeatureCollection")
        if let matched { json.member("numberMatched", matched) }
        json.member("numberReturned", count)
        json.key("features")
        json.beginArray()
        write(&json)
        json.endArray()
        FeatureLink.write(links, to: &json)
        json.endObject()
        return json.bytes
    }

    /// Returns one story.
    func feature(_ story: StoryView, links: [FeatureLink]) throws -> [UInt8] {
        let position = try positions(of: [story])[0]
        var json = JSONWriter(capacity: 2_048)
        StoryJSON.writeFeature(
            story,
            geometry: { write(position, to: &$0) },
            members: { FeatureLink.write(links, to: &$0) },
            to: &json
        )
        return json.bytes
    }

    private func positions(of stories: [StoryView]) throws -> [QueryPlane.Position?] {
        let points = stories.map { $0.story.point(for: $0.viewer) }
        var converted = try system.positions(of: points.compactMap(\.self), by: projection).makeIterator()
        return points.map { $0 == nil ? nil : converted.next() ?? nil }
    }

    private func write(_ position: QueryPlane.Position?, to json: inout JSONWriter) {
        guard let position else { return json.null() }
        json.beginObject()
        json.member("type", "Point")
        json.key("coordinates")
        json.beginArray()
        for number in [position.first, position.second] { system.write(number, to: &json) }
        json.endArray()
        json.endObject()
    }
}
