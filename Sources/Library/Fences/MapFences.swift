package import Geofencing
package import Geometry
package import Notifications
package import Stories
package import StoryMap

/// The fences of a viewer: a circle around every place with a story they want, be it the story's own location or a
/// further place that makes a fence.
package struct MapFences: FenceSource {
    /// A place on the map.
    package struct Place: Sendable {
        package let id: PlaceID
        package let coordinate: Coordinate

        /// Creates a value from its parts.
        package init(id: PlaceID, coordinate: Coordinate) {
            self.id = id
            self.coordinate = coordinate
        }
    }

    package let snapshot: MapSnapshot
    package let query: StoryQuery
    /// The user's radius in metres.
    package let radius: Double
    /// The user's settings for individual places.
    let overrides: [PlaceID: PlaceSetting]
    package let now: Timestamp

    package init(
        snapshot: MapSnapshot,
        query: StoryQuery,
        radius: Double,
        overrides: [PlaceID: PlaceSetting],
        now: Timestamp
    ) {
        self.snapshot = snapshot
        self.query = query
        self.radius = radius
        self.overrides = overrides
        self.now = now
    }

    /// Creates the fences of a user without settings for individual places.
    package init(snapshot: MapSnapshot, query: StoryQuery, radius: Double) {
        self.init(snapshot: snapshot, query: query, radius: radius, overrides: [:], now: Timestamp(milliseconds: 0))
    }

    /// The largest radius in metres.
    package var largestRadius: Double { overrides.values.reduce(radius) { max($0, $1.radius ?? radius) } }

    /// Returns the places with wanted stories in a box, ignoring the settings for individual places.
    func allPlaces(in box: BoundingBox) -> [Place] {
        snapshot.places(in: box, query, asPublished: true).map { Place(id: $0.id, coordinate: $0.coordinate) }
    }

    /// Returns the fences whose centre lies in `box`.
    package func fences(in box: BoundingBox) -> [Fence] {
        if overrides.isEmpty {
            return allPlaces(in: box).map { Fence(id: $0.id, coordinate: $0.coordinate, radius: radius) }
        }
        return places(in: box).values
            .map { Fence(id: $0.id, coordinate: $0.coordinate, radius: overrides[$0.id]?.radius ?? radius) }
            .sorted { $0.id < $1.id }
    }

    /// Returns the places with wanted stories in a box.
    package func places(in box: BoundingBox) -> [PlaceID: MapPlace] {
        var found: [PlaceID: MapPlace] = [:]
        for place in snapshot.places(in: box, query, asPublished: true) {
            if let own = overrides[place.id], !own.isActive(at: now) || own.kinds != nil { continue }
            found[place.id] = place
        }
        // The user's settings for a place may include kinds that are not wanted elsewhere.
        for (id, own) in overrides where own.isActive(at: now) {
            guard let kinds = own.kinds else { continue }
            var query = query
            query.filter.kinds = kinds
            let here = BoundingBox(id.coordinate).expanded(byMetres: 3)
            for place in snapshot.places(in: here, query, asPublished: true)
            where place.id == id && box.contains(place.coordinate) {
                found[id] = place
            }
        }
        return found
    }
}
