import Geometry

/// A geometry on a plane, with straight lines between its corners: points, lines and areas, as a value of a feature.
package struct QueryGeometry: Hashable, Sendable {
    /// A position: longitude and latitude, or east and north.
    package typealias Corner = SIMD2<Double>

    /// The lines; a point is a line of one corner.
    package let lines: [[Corner]]
    /// The areas, each with its outer ring first and then its holes; rings are closed.
    package let areas: [[[Corner]]]

    /// Creates a geometry from its parts.
    package init(lines: [[Corner]] = [], areas: [[[Corner]]] = []) {
        self.lines = lines
        self.areas = areas
    }

    /// The smallest box around all corners; `nil` without any.
    package var bounds: (low: Corner, high: Corner)? {
        guard let first = paths.lazy.compactMap(\.first).first else { return nil }
        var (low, high) = (first, first)
        for corner in paths.joined() {
            low = Corner(min(low.x, corner.x), min(low.y, corner.y))
            high = Corner(max(high.x, corner.x), max(high.y, corner.y))
        }
        return (low, high)
    }

    /// The lines and the rings of areas.
    private var paths: [[Corner]] { lines + areas.joined() }

    /// Returns the geometry moved to the east.
    package func moved(east distance: Double) -> QueryGeometry {
        func move(_ path: [Corner]) -> [Corner] { path.map { Corner($0.x + distance, $0.y) } }
        return QueryGeometry(lines: lines.map(move), areas: areas.map { $0.map(move) })
    }

    /// Returns whether two geometries have a position in common, with the edges of areas.
    ///
    /// Takes the number of comparisons from `steps` before they are made; `nil` if there are not enough left.
    package func meets(_ other: QueryGeometry, steps: inout Int) -> Bool? {
        guard let mine = bounds, let others = other.bounds, QueryGeometry.touch(mine, others) else { return false }
        let (own, foreign) = (segments(touching: others), other.segments(touching: mine))
        steps -= own.count * foreign.count
        guard steps >= 0 else { return nil }
        if own.contains(where: { segment in foreign.contains { segment.meets($0) } }) { return true }
        // No lines cross, so that each part of one lies wholly inside or outside of the areas of the other.
        let (corners, otherCorners) = (paths.compactMap(\.first), other.paths.compactMap(\.first))
        steps -= corners.count * other.areaCornerCount + otherCorners.count * areaCornerCount
        guard steps >= 0 else { return nil }
        return corners.contains { other.holds($0) } || otherCorners.contains { holds($0) }
    }

    private var areaCornerCount: Int { areas.joined().reduce(0) { $0 + $1.count } }

    /// A straight line between two corners, or one corner.
    private struct Segment {
        let start: Corner
        let end: Corner

        func touches(_ box: (low: Corner, high: Corner)) -> Bool {
            max(start.x, end.x) >= box.low.x && min(start.x, end.x) <= box.high.x
                && max(start.y, end.y) >= box.low.y && min(start.y, end.y) <= box.high.y
        }

        /// Returns whether both have a position in common.
        func meets(_ other: Segment) -> Bool {
            let low = Corner(min(other.start.x, other.end.x), min(other.start.y, other.end.y))
            let high = Corner(max(other.start.x, other.end.x), max(other.start.y, other.end.y))
            return touches((low, high)) && !other.hasOnOneSide(self) && !hasOnOneSide(other)
        }

        /// Returns whether both ends of another segment lie beside the line through this one, on the same side.
        private func hasOnOneSide(_ other: Segment) -> Bool {
            let (first, second) = (side(of: other.start), side(of: other.end))
            return first > 0 && second > 0 || first < 0 && second < 0
        }

        private func side(of corner: Corner) -> Double {
            let (along, across) = (end - start, corner - start)
            return along.x * across.y - along.y * across.x
        }
    }

    private func segments(touching box: (low: Corner, high: Corner)) -> [Segment] {
        var segments: [Segment] = []
        for path in paths {
            if path.count == 1 { segments.append(Segment(start: path[0], end: path[0])) }
            for (start, end) in zip(path, path.dropFirst()) { segments.append(Segment(start: start, end: end)) }
        }
        return segments.filter { $0.touches(box) }
    }

    private static func touch(_ a: (low: Corner, high: Corner), _ b: (low: Corner, high: Corner)) -> Bool {
        a.low.x <= b.high.x && b.low.x <= a.high.x && a.low.y <= b.high.y && b.low.y <= a.high.y
    }

    /// Returns whether a corner lies inside of an area, where it is known to lie on no edge.
    private func holds(_ corner: Corner) -> Bool {
        areas.contains { rings in
            guard let outer = rings.first, QueryGeometry.isInside(corner, of: outer) else { return false }
            return !rings.dropFirst().contains { QueryGeometry.isInside(corner, of: $0) }
        }
    }

    private static func isInside(_ corner: Corner, of ring: [Corner]) -> Bool {
        var isInside = false
        for (start, end) in zip(ring, ring.dropFirst()) {
            let (a, b) = (start - corner, end - corner)
            // Half-open in height, so that a corner counts for one of its edges alone.
            if (a.y > 0) != (b.y > 0), (a.x * b.y - b.x * a.y > 0) == (b.y > a.y) { isInside.toggle() }
        }
        return isInside
    }
}

extension QueryGeometry {
    /// Returns the area of a box with its edges.
    package static func box(low: Corner, high: Corner) -> QueryGeometry {
        QueryGeometry(areas: [[[low, Corner(high.x, low.y), high, Corner(low.x, high.y), low]]])
    }

    /// Creates the geometry of a shape in degrees, in one part on each side of the antimeridian.
    package init(_ shape: QueryShape) {
        func corner(_ point: Coordinate) -> Corner { Corner(point.longitude, point.latitude) }
        switch shape {
        case .box(let box):
            let parts = box.parts.map { part in
                QueryGeometry.box(low: Corner(part.west, part.south), high: Corner(part.east, part.north))
            }
            self.init(areas: parts.flatMap(\.areas))
        case .point(let point): self.init(lines: [[corner(point)]])
        case .polygons(let polygons): self.init(areas: polygons.map { $0.map { $0.map(corner) } })
        }
    }

    /// Returns whether a geometry in degrees, which may go on beyond 180, meets a shape on any turn around the globe.
    ///
    /// Takes the number of comparisons from `steps`; `nil` if there are not enough left.
    package func meets(_ shape: QueryShape, steps: inout Int) -> Bool? {
        guard let bounds else { return false }
        let other = QueryGeometry(shape)
        for turn in [0.0, -360, 360] where bounds.low.x + turn <= 180 && bounds.high.x + turn >= -180 {
            let here = turn == 0 ? self : moved(east: turn)
            guard let meets = here.meets(other, steps: &steps) else { return nil }
            if meets { return true }
        }
        return false
    }
}
