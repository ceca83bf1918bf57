import Formats
public import Geometry
import Notifications
public import Stories
public import StoryMap

extension StoryLibrary {
    /// The FeatureCollection of `GET /v1/nearby`: the nearest stories, nearest first, with their distance in metres.
    public func nearbyJSON(
        _ coordinate: Coordinate,
        limit: Int,
        search: StorySearch,
        viewer: Viewer
    ) async throws -> [UInt8] {
        let query = try await mapQuery(search, viewer: viewer)
        let nearest = map.snapshot().nearby(coordinate, query, limit: limit)
        let distances = Dictionary(uniqueKeysWithValues: nearest.map { ($0.id, $0.distance) })
        let (stories, writer) = try await load(nearest.map(\.id), viewer: viewer)
        var json = JSONWriter(capacity: 1_024 * (stories.count + 1))
        json.beginObject()
        json.member("type", "FeatureCollection")
        json.member("numberReturned", stories.count)
        json.key("features")
        json.beginArray()
        for story in stories {
            // Decimetres: points have no more than that to give.
            let distance = distances[story.id].map { ($0 * 10).rounded() / 10 }
            writer.writeFeature(story, distance: distance, to: &json)
        }
        json.endArray()
        json.endObject()
        return json.bytes
    }

    /// The FeatureCollection of `GET /v1/places/{place}/stories`, newest first; empty where the viewer sees nothing.
    public func placeJSON(
        _ place: PlaceID,
        _ window: ListWindow,
        search: StorySearch,
        viewer: Viewer,
        nextLink: (ListCursor) -> String?
    ) async throws -> [UInt8] {
        let query = try await mapQuery(search, viewer: viewer)
        let snapshot = map.snapshot()
        let ids = snapshot.stories(at: place, query)
        let here = StoryQuery(viewer: viewer, among: StorySet(Set(ids)))
        let page = snapshot.stories(here, after: window.after, limit: window.limit)
        return try await storiesJSON(page, matched: ids.count, viewer: viewer, nextLink: nextLink)
    }

    /// The FeatureCollection of the stories that a notification tells of, newest first, in the words of now.
    func storiesJSON(
        of item: FeedItem,
        _ window: ListWindow,
        viewer: Viewer,
        nextLink: (ListCursor) -> String?
    ) async throws -> [UInt8] {
        var search = StorySearch()
        search.ids = Set(item.content.map(\.id))
        return try await storiesJSON(window, search: search, viewer: viewer, nextLink: nextLink)
    }

    /// The answer of `GET /v1/bounds`.
    public func boundsJSON(search: StorySearch, viewer: Viewer) async throws -> [UInt8] {
        let box = try await bounds(search, viewer: viewer)
        var json = JSONWriter(capacity: 100)
        json.beginObject()
        json.key("bbox")
        if let box {
            GeoJSONShapes.writeBox(box, to: &json)
        } else {
            json.null()
        }
        json.endObject()
        return json.bytes
    }

    /// The most bins of a histogram.
    public static let mostBins = 1_000

    /// The answer of `GET /v1/histogram`: how many stories there are over time; the days are those of the search.
    public func histogramJSON(
        in box: BoundingBox?,
        bins: Int,
        search: StorySearch,
        viewer: Viewer
    ) async throws -> [UInt8] {
        let query = try await mapQuery(search, viewer: viewer)
        let (from, to) = (search.filter.from, search.filter.to)
        let histogram = map.snapshot().histogram(in: box, query, from: from, to: to, bins: bins)
        var json = JSONWriter(capacity: 100 + 60 * histogram.bins.count)
        json.beginObject()
        json.member("from", histogram.days?.lowerBound.description)
        json.member("to", histogram.days?.upperBound.description)
        json.member("numberMatched", histogram.total)
        json.member("undated", histogram.undated)
        json.key("bins")
        json.beginArray()
        for bin in histogram.bins {
            json.beginObject()
            json.member("from", bin.days.lowerBound.description)
            json.member("to", bin.days.upperBound.description)
            json.member("count", bin.count)
            json.endObject()
        }
        json.endArray()
        json.endObject()
        return json.bytes
    }
}
