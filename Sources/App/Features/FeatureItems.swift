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

    /// Returns a page of features; `matched` is the number on all pages, if it is known.
    func page(_ stories: [StoryView], matched: Int?, links: [FeatureLink]) throws -> [UInt8] {
        let positions = try positions(of: stories)
        var json = JSONWriter(capacity: 1_024 * (stories.count + 1))
        json.beginObject()
        json.member("type", "FeatureCollection")
        if let matched { json.member("numberMatched", matched) }
        json.member("numberReturned", stories.count)
        json.key("features")
        json.beginArray()
        for (story, position) in zip(stories, positions) {
            StoryJSON.writeFeature(story, geometry: { write(position, to: &$0) }, to: &json)
        }
        json.endArray()
        FeatureLink.write(links, to: &json)
        json.endObject()
        return json.bytes
    }

    /// Returns one feature.
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
        for number in [position.first, position.second] {
            // A tenth of a millimetre in metres; degrees are as everywhere.
            if system.isInDegrees { json.degrees(number) } else { json.value((number * 10_000).rounded() / 10_000) }
        }
        json.endArray()
        json.endObject()
    }
}
