package import Geofencing
package import Geometry
import Notifications
import Storage
package import Stories
package import StoryMap

/// A region for offline use.
package struct OfflinePackage: Sendable {
    /// A fence with the number of stories the viewer would be notified of there.
    package struct PackagedFence: Sendable {
        package let fence: Fence
        package let count: Int
    }

    package let box: BoundingBox
    /// The zoom of the first level of clusters.
    package let zoom: Int
    /// The newest stories of the region.
    package let stories: StoryList
    /// The clusters at each zoom.
    package let levels: [MarkerPage]
    /// The fences around the stories; `nil` if nothing is to be monitored.
    package let fences: [PackagedFence]?
    package let generatedAt: Timestamp
}

/// Builds packages of regions for offline use.
package struct PackageService: StoreService {
    /// The maximum number of cluster levels in a package, including the first.
    package static let levelLimit = 5

    package let context: StoreContext
    package let maps: MapService
    package let accesses: AccessLog
    /// Limits concurrent packages per user, per address and in total.
    package let shares = WorkShares(perUser: 2, perAddress: 4, inAll: 16)

    /// Returns the package of a box.
    ///
    /// It contains the clusters at `zoom` and at deeper levels, as long as the longer side of the box has at most
    /// `pixelLimit` pixels at that level; at most ``levelLimit`` levels, down to zoom 24.
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
            // Lets other work on these threads run, and stops if the client has disconnected.
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

    /// Returns the fences of the newest stories in a box as the evaluator sees them for the viewer, sorted by place.
    ///
    /// `nil` if the viewer has not opted in: nothing is to be monitored then.
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
        // Some of these stories may be missing from the package's list, because they are older than the stories in it.
        // The fences have the exact points of the viewer's own stories, and the published points of others.
        try await accesses.note(notable.filter { $0.owner == user }, for: viewer)
        // Selects the stories that are not counted: the viewer's own, unless the viewer is also notified of their own
        // stories.
        var unwanted = query
        if settings.notifiesOwn { unwanted.among = StorySet([]) } else { unwanted.filter.owners = [user] }
        let points = notable.flatMap { PackageService.fencePoints(of: $0, in: box, viewer: viewer) }
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

    /// Returns the points of a story in a box around which there are fences.
    ///
    /// The fence of its own location is centred on the published point; on the exact one for the owner. A story can be
    /// in the box by only some of its places.
    private static func fencePoints(of story: Story, in box: BoundingBox, viewer: Viewer) -> [Coordinate] {
        let own = story.owner == viewer.user ? story.point(for: viewer) : story.publishedPoint
        guard !story.places(for: viewer).isEmpty else { return own.map { [$0] } ?? [] }
        let further = story.places.filter(\.makesFence).map(\.location.coordinate).filter(box.contains)
        guard let own, story.point(for: viewer).map(box.contains) == true else { return further }
        return [own] + further
    }
}
