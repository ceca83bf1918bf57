import Formats
import Geofencing
import Geometry
import Notifications
import Storage
import Stories
import StoryMap

extension StoryLibrary {
    /// How many levels of clusters a package holds at most, the first among them.
    static let packageLevels = 5

    /// The JSON of `GET /v1/offline-package` and its ETag, in which the time of the answer does not count.
    ///
    /// Clusters go as many levels deeper than `zoom` as their map stays within `pixelLimit` pixels.
    func packageJSON(
        box: BoundingBox,
        zoom: Int,
        limit: Int,
        pixelLimit: Double,
        viewer: Viewer
    ) async throws -> (bytes: [UInt8], tag: String) {
        let search = try StorySearch([:])
        let stories = try await storiesJSON(
            ListWindow(box: box, limit: limit),
            search: search,
            viewer: viewer,
            nextLink: { _ in nil }
        )
        var levels: [[UInt8]] = []
        for level in zoom..<zoom + StoryLibrary.packageLevels where level <= 24 {
            let window = MapWindow(box: box, zoom: Double(level))
            guard window.pixels <= pixelLimit else { break }
            // Others of the same threads take their turn, and nothing is computed for a client that has gone.
            try Task.checkCancellation()
            await Task.yield()
            levels.append(try await clustersJSON(window, search: search, viewer: viewer))
        }
        let fences = try await packageFences(box: box, limit: limit, viewer: viewer)
        func document(generatedAt: Timestamp?) -> [UInt8] {
            var json = JSONWriter(capacity: stories.count + levels.reduce(4_096) { $0 + $1.count })
            json.beginObject()
            json.key("bbox")
            GeoJSONShapes.writeBox(box, to: &json)
            json.member("zoom", zoom)
            if let generatedAt { json.member("generated_at", RFC3339.format(generatedAt)) }
            json.key("stories")
            json.raw(stories)
            json.key("clusters")
            json.beginArray()
            for level in levels { json.raw(level) }
            json.endArray()
            json.member("monitoring", fences == nil ? "off" : "on")
            json.key("fences")
            json.beginArray()
            for fence in fences ?? [] { fence.write(to: &json) }
            json.endArray()
            json.endObject()
            return json.bytes
        }
        return (document(generatedAt: now()), EntityTag.strong(document(generatedAt: nil)))
    }

    /// A fence with how many wanted stories it stands for.
    private struct PackagedFence {
        let fence: Fence
        let count: Int

        func write(to json: inout JSONWriter) {
            json.beginObject()
            json.member("place_id", fence.id.description)
            json.key("lat")
            json.degrees(fence.coordinate.latitude)
            json.key("lon")
            json.degrees(fence.coordinate.longitude)
            json.member("radius", fence.radius)
            json.member("count", count)
            json.endObject()
        }
    }

    /// The fences of the newest stories in a box as the evaluator has them for the viewer, sorted by place.
    ///
    /// `nil` for who has not opted in: nothing is to be monitored then.
    private func packageFences(box: BoundingBox, limit: Int, viewer: Viewer) async throws -> [PackagedFence]? {
        guard let user = viewer.user else { return nil }
        let settings = try await store.read { try $0.notificationSettings(of: user) }
        guard settings.enabled else { return nil }
        let snapshot = map.snapshot()
        var query = try await mapQuery(try StorySearch([:]), viewer: viewer)
        query.filter.kinds = settings.kinds
        let page = snapshot.stories(in: box, query, limit: limit)
        let (stories, _) = try await load(page.ids, viewer: viewer, notingAccesses: false)
        let notable = stories.filter { settings.notifiesOwn || $0.owner != user }
        // Some may be older than those of the list. Of one's own the exact point is in it, of others the published one.
        try await accesses.note(notable.filter { $0.owner == user }, for: viewer)
        // What the viewer has there themselves is nothing to tell them of.
        var unwanted = query
        if settings.notifiesOwn { unwanted.among = StorySet([]) } else { unwanted.filter.owners = [user] }
        // The point a fence stands around is the published one, for the owner the exact one.
        let points = notable.compactMap { $0.owner == user ? $0.point(for: viewer) : $0.publishedPoint }
        var fences: [PlaceID: PackagedFence] = [:]
        for point in points where fences[PlaceID(point)] == nil {
            let around = BoundingBox(point).expanded(byMetres: 3)
            let places = snapshot.places(in: around, query, asPublished: true)
            guard let place = places.first(where: { $0.id == PlaceID(point) }) else { continue }
            let fence = Fence(id: place.id, coordinate: place.coordinate, radius: settings.radius)
            let own = snapshot.places(in: around, unwanted, asPublished: true).first { $0.id == place.id }
            fences[place.id] = PackagedFence(fence: fence, count: place.stories.count - (own?.stories.count ?? 0))
        }
        return fences.values.sorted { $0.fence.id < $1.fence.id }
    }
}
