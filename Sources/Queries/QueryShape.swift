package import Geometry

/// An area or a point, in longitude and latitude on a plane, as GeoJSON reads them.
package enum QueryShape: Hashable, Sendable {
    /// A box with its edges; it may cross the antimeridian.
    case box(BoundingBox)
    /// One position.
    case point(Coordinate)
    /// Polygons, each with its outer ring first and then its holes; rings are closed.
    case polygons([[[Coordinate]]])

    /// Returns whether the coordinate lies in the shape or on its edge.
    package func contains(_ coordinate: Coordinate) -> Bool {
        switch self {
        case .box(let box): return box.contains(coordinate)
        case .point(let point): return point == coordinate
        case .polygons(let polygons):
            return polygons.contains { rings in
                guard let outer = rings.first, let place = QueryShape.place(of: coordinate, in: outer) else {
                    return false
                }
                guard place == .inside else { return true }
                return rings.dropFirst().allSatisfy { QueryShape.place(of: coordinate, in: $0) != .inside }
            }
        }
    }

    /// The smallest box around the shape.
    package var bounds: BoundingBox? {
        switch self {
        case .box(let box): return box
        case .point(let point): return BoundingBox(point)
        case .polygons(let polygons):
            let corners = polygons.joined().joined()
            guard let first = corners.first else { return nil }
            var (west, south, east, north) = (first.longitude, first.latitude, first.longitude, first.latitude)
            for corner in corners {
                (west, east) = (min(west, corner.longitude), max(east, corner.longitude))
                (south, north) = (min(south, corner.latitude), max(north, corner.latitude))
            }
            return BoundingBox(west: west, south: south, east: east, north: north)
        }
    }

    /// The number of corners, which is the work of asking for one position.
    var cornerCount: Int {
        guard case .polygons(let polygons) = self else { return 1 }
        return polygons.joined().reduce(0) { $0 + $1.count }
    }

    private enum Place {
        case inside, edge
    }

    /// Returns where a coordinate lies in a ring; `nil` outside of it.
    private static func place(of point: Coordinate, in ring: [Coordinate]) -> Place? {
        var isInside = false
        for (a, b) in zip(ring, ring.dropFirst()) {
            let (ax, ay) = (a.longitude - point.longitude, a.latitude - point.latitude)
            let (bx, by) = (b.longitude - point.longitude, b.latitude - point.latitude)
            let cross = ax * by - bx * ay
            if cross == 0, min(ax, bx) <= 0, max(ax, bx) >= 0, min(ay, by) <= 0, max(ay, by) >= 0 { return .edge }
            // Half-open in latitude, so that a corner counts for one of its edges alone.
            if (ay > 0) != (by > 0), (cross > 0) == (by > ay) { isInside.toggle() }
        }
        return isInside ? .inside : nil
    }
}
