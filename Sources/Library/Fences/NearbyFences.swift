package import Geofencing
package import Geometry
package import Stories
package import StoryMap
import Synchronization

/// The places around users' last positions, so that the map is not searched for each fix.
///
/// An entry is valid while the user sees and wants the same stories: it is used only for the same version of the user's
/// layers and the same query. It reveals where the user is, so it is removed together with all other such data.
package final class FenceMemory: Sendable {
    /// The places found in a box.
    package struct Area: Sendable {
        let box: BoundingBox
        /// The places that are points, sorted by latitude.
        let points: [MapFences.Place]
        /// The places that are lines or areas.
        let outlined: [MapFences.Place]

        init(box: BoundingBox, places: [MapFences.Place]) {
            self.box = box
            points = places.filter { $0.outline == nil }
                .sorted { ($0.coordinate.latitude, $0.id) < ($1.coordinate.latitude, $1.id) }
            outlined = points.count == places.count ? [] : places.filter { $0.outline != nil }
        }

        var count: Int { points.count + outlined.count }

        /// Returns the fences whose centre lies in a part of the area, or whose line or area touches it.
        func fences(in part: BoundingBox, radius: Double) -> [Fence] {
            var low = 0
            var high = points.count
            while low < high {
                let middle = low + (high - low) / 2
                if points[middle].coordinate.latitude < part.south { low = middle + 1 } else { high = middle }
            }
            var found: [Fence] = []
            while low < points.count, points[low].coordinate.latitude <= part.north {
                let place = points[low]
                if part.contains(place.coordinate) { found.append(place.fence(radius: radius)) }
                low += 1
            }
            for place in outlined
            where part.contains(place.coordinate) || place.outline?.box.touches(part) ?? false {
                found.append(place.fence(radius: radius))
            }
            return found
        }
    }

    private struct Known {
        let version: Digest
        let query: StoryQuery
        let area: Area
    }

    private struct State {
        var known: [UserID: Known] = [:]
        var placeCount = 0
    }

    private let state = Mutex(State())

    /// The maximum number of users, and of places of all users; beyond either, everything is forgotten.
    private static let limit = 50_000
    private static let placeLimit = 5_000_000

    /// Creates an empty memory.
    package init() {}

    package func area(of user: UserID, version: Digest, query: StoryQuery) -> Area? {
        let known = state.withLock { $0.known[user] }
        guard let known, known.version == version, known.query == query else { return nil }
        return known.area
    }

    package func keep(_ area: Area, of user: UserID, version: Digest, query: StoryQuery) {
        state.withLock { state in
            let old = state.known.updateValue(Known(version: version, query: query, area: area), forKey: user)
            state.placeCount += area.count - (old?.area.count ?? 0)
            guard state.known.count > FenceMemory.limit || state.placeCount > FenceMemory.placeLimit else { return }
            state = State()
        }
    }

    /// Forgets the places around a user, which reveal where the user is.
    package func forget(_ user: UserID) {
        state.withLock { state in
            guard let old = state.known.removeValue(forKey: user) else { return }
            state.placeCount -= old.area.count
        }
    }

    /// Forgets everything.
    func forgetAll() { state.withLock { $0 = State() } }
}

/// The fences around a user's position, for one evaluation.
package final class NearbyFences: FenceSource {
    private let fences: MapFences
    private let memory: FenceMemory
    private let user: UserID
    private let version: Digest
    private var area: FenceMemory.Area?

    /// The search margins in metres around the box: the first, and the one used if that finds too many places.
    private static let margins = [1_000.0, 200]
    /// The maximum number of places found with the first margin.
    private static let many = 2_000

    /// Creates the fences of a user on the map.
    package init(_ fences: MapFences, of user: UserID, memory: FenceMemory) {
        self.fences = fences
        self.memory = memory
        self.user = user
        version = fences.snapshot.version(for: fences.query.viewer)
        // Settings for individual places also depend on the time, so their fences are not remembered.
        area = fences.overrides.isEmpty ? memory.area(of: user, version: version, query: fences.query) : nil
    }

    /// The largest radius in metres.
    package var largestRadius: Double { fences.largestRadius }

    /// Whether any of the fences may be around a line or an area.
    package var hasOutlines: Bool { fences.hasOutlines }

    /// Returns the fences whose centre lies in `box`, or whose line or area touches it.
    package func fences(in box: BoundingBox) -> [Fence] {
        // Outside `inner`, a box is not a simple rectangle of degrees.
        guard fences.overrides.isEmpty, NearbyFences.inner.holds(box) else { return fences.fences(in: box) }
        if let area, area.box.holds(box) { return area.fences(in: box, radius: fences.radius) }
        for margin in NearbyFences.margins {
            let wide = box.expanded(byMetres: margin)
            guard NearbyFences.inner.holds(wide) else { continue }
            let places = fences.allPlaces(in: wide)
            let area = FenceMemory.Area(box: wide, places: places)
            if places.count > NearbyFences.many, margin != NearbyFences.margins.last { continue }
            self.area = area
            memory.keep(area, of: user, version: version, query: fences.query)
            return area.fences(in: box, radius: fences.radius)
        }
        return fences.fences(in: box)
    }

    private static let inner = BoundingBox(west: -179.5, south: -85, east: 179.5, north: 85)
}

extension BoundingBox {
    /// Returns whether another box lies within this one, which must not cross the antimeridian.
    fileprivate func holds(_ other: BoundingBox) -> Bool {
        !other.crossesAntimeridian && west <= other.west && other.east <= east && south <= other.south
            && other.north <= north
    }
}

extension BoundingBox? {
    fileprivate func holds(_ other: BoundingBox) -> Bool { self?.holds(other) ?? false }
}
