package import Geofencing
package import Geometry
package import Notifications
package import Stories
package import StoryMap

/// The fences of a viewer, around every place with a story they want, be it the story's own location or a further place
/// that makes a fence: a point, a line or an area.
package struct MapFences: FenceSource {
    /// A place on the map.
    package struct Place: Sendable {
        package let id: PlaceID
        package let coordinate: Coordinate
        /// The line or the area, or `nil` for a point.
        package let outline: Outline?

        /// Creates a value from its parts.
        package init(id: PlaceID, coordinate: Coordinate, outline: Outline? = nil) {
            self.id = id
            self.coordinate = coordinate
            self.outline = outline
        }

        init(_ place: MapPlace) { self.init(id: place.id, coordinate: place.coordinate, outline: place.outline) }

        /// Returns the fence of the place with a radius in metres.
        func fence(radius: Double) -> Fence {
            Fence(id: id, coordinate: coordinate, radius: radius, outline: outline)
        }
    }

    /// The maximum number of lines and areas around one position that are fences, the smallest ones: each costs as much
    /// as many points.
    package static let mostOutlines = 256

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

    /// Whether any of the fences may be around a line or an area.
    package var hasOutlines: Bool { snapshot.hasOutlines }

    /// Returns the places with wanted stories whose centre lies in a box, or whose line or area touches it, ignoring the
    /// settings for individual places; at most ``mostOutlines`` lines and areas.
    func allPlaces(in box: BoundingBox) -> [Place] {
        snapshot.places(in: box, query, asPublished: true, mostOutlines: MapFences.mostOutlines).map(Place.init)
    }

    /// Returns the fences whose centre lies in `box`, or whose line or area touches it; at most ``mostOutlines`` lines
    /// and areas.
    package func fences(in box: BoundingBox) -> [Fence] { fences(in: box, mostOutlines: MapFences.mostOutlines) }

    /// Returns the fences whose centre lies in `box`, or whose line or area touches it; at most so many lines and areas.
    func fences(in box: BoundingBox, mostOutlines: Int) -> [Fence] {
        if overrides.isEmpty {
            return snapshot.places(in: box, query, asPublished: true, mostOutlines: mostOutlines)
                .map { Place($0).fence(radius: radius) }
        }
        return places(in: box, mostOutlines: mostOutlines).values
            .map { Place($0).fence(radius: overrides[$0.id]?.radius ?? radius) }
            .sorted { $0.id < $1.id }
    }

    /// Returns the places with wanted stories whose centre lies in a box, or whose line or area touches it.
    package func places(in box: BoundingBox) -> [PlaceID: MapPlace] { places(in: box, mostOutlines: .max) }

    private func places(in box: BoundingBox, mostOutlines: Int) -> [PlaceID: MapPlace] {
        var found: [PlaceID: MapPlace] = [:]
        for place in snapshot.places(in: box, query, asPublished: true, mostOutlines: mostOutlines) {
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
            where place.id == id && (box.contains(place.coordinate) || place.outline?.box.touches(box) ?? false) {
                found[id] = place
            }
        }
        return found
    }
}
