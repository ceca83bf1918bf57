package import Geofencing
package import Geometry
import Notifications
import Storage
package import Stories
package import StoryMap

/// A region to take along.
package struct OfflinePackage: Sendable {
    /// A fence with how many wanted stories it stands for.
    package struct PackagedFence: Sendable {
        package let fence: Fence
        package let count: Int
    }

    package let box: BoundingBox
    /// The zoom of its first level of clusters.
    package let zoom: Int
    /// Its newest stories.
    package let stories: StoryList
    /// Its clusters at each zoom.
    package let levels: [MarkerPage]
    /// The fences around the stories, `nil` when nothing is to be monitored.
    package let fences: [PackagedFence]?
    package let generatedAt: Timestamp
}

/// Regions to take along.
package struct PackageService: StoreService {
    /// How many levels of clusters a package holds at most, the first among them.
    package static let levelLimit = 5

    package let context: StoreContext
    package let maps: MapService
    package let accesses: AccessLog
    /// Who may have how many packages made at a time.
    package let shares = WorkShares(perUser: 2, perAddress: 4, inAll: 16)

    /// The package of a box.
    ///
    /// Clusters go as many levels deeper than `zoom` as their map stays within `pixelLimit` pixels.
    package func offlinePackage(
        box: BoundingBox,
        zoom: Int,
        limit: Int,
        pixelLimit: Double,
        viewer: Viewer,
        markersWrittenBy write: @escaping @Sendable (_ marker: Marker, _ bytes: inout [UInt8]) -> Void
    ) async throws -> OfflinePackage {
        let search = try StorySearch([:])
        let stories = try await maps.stories(ListWindow(box: box, limit: limit), search: search, viewer: viewer)
        var levels: [MarkerPage] = []
        for level in zoom..<zoom + PackageService.levelLimit where level <= 24 {
            let window = MapWindow(box: box, zoom: Double(level))
            guard window.pixels <= pixelLimit else { break }
            // Others of the same threads take their turn, and nothing is computed for a client that has gone.
            try Task.checkCancellation()
            await Task.yield()
            levels.append(try await maps.markers(in: window, search: search, viewer: viewer, writtenBy: write))
        }
        return OfflinePackage(
            box: box,
            zoom: zoom,
            stories: stories,
            levels: levels,
            fences: try await packageFences(box: box, limit: limit, viewer: viewer),
            generatedAt: now()
        )
    }

    /// The fences of the newest stories in a box as the evaluator has them for the viewer, sorted by place.
    ///
    /// `nil` for who has not opted in: nothing is to be monitored then.
    private func packageFences(
        box: BoundingBox,
        limit: Int,
        viewer: Viewer
    ) async throws -> [OfflinePackage.PackagedFence]? {
        guard let user = viewer.user else { return nil }
        let settings = try await store.read { try $0.notificationSettings(of: user) }
        guard settings.enabled else { return nil }
        let snapshot = maps.index.snapshot()
        var query = try await maps.mapQuery(try StorySearch([:]), viewer: viewer)
        query.filter.kinds = settings.kinds
        let page = snapshot.stories(in: box, query, limit: limit)
        let stories = try await maps.load(page.ids, viewer: viewer, notingAccesses: false).map(\.story)
        let notable = stories.filter { settings.notifiesOwn || $0.owner != user }
        // Some may be older than those of the list. Of one's own the exact point is in it, of others the published one.
        try await accesses.note(notable.filter { $0.owner == user }, for: viewer)
        // The viewer is not notified of their own stories there.
        var unwanted = query
        if settings.notifiesOwn { unwanted.among = StorySet([]) } else { unwanted.filter.owners = [user] }
        // The point a fence stands around is the published one, for the owner the exact one.
        let points = notable.compactMap { $0.owner == user ? $0.point(for: viewer) : $0.publishedPoint }
        var fences: [PlaceID: OfflinePackage.PackagedFence] = [:]
        for point in points where fences[PlaceID(point)] == nil {
            let around = BoundingBox(point).expanded(byMetres: 3)
            let places = snapshot.places(in: around, query, asPublished: true)
            guard let place = places.first(where: { $0.id == PlaceID(point) }) else { continue }
            let fence = Fence(id: place.id, coordinate: place.coordinate, radius: settings.radius)
            let own = snapshot.places(in: around, unwanted, asPublished: true).first { $0.id == place.id }
            let count = place.stories.count - (own?.stories.count ?? 0)
            fences[place.id] = OfflinePackage.PackagedFence(fence: fence, count: count)
        }
        return fences.values.sorted { $0.fence.id < $1.fence.id }
    }
}
