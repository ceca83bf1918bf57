/// The rings of areas, and how they lie to each other.
///
/// What overlaps by less than a tenth of a metre counts as touching, which is allowed: positions on a common border are
/// rounded, and bent a little where they were converted from another reference system.
struct RingLayout {
    typealias Corner = PlaceShape.Corner

    /// The tolerance in degrees.
    private static let tolerance = 1e-6

    /// Each an outer ring, followed by its holes.
    private let areas: [[[Corner]]]
    /// What the areas are called in messages.
    private let paths: [String]

    /// Creates a layout of areas, each with its path.
    init(_ areas: [(path: String, rings: [[Corner]])]) {
        (self.areas, paths) = (areas.map(\.rings), areas.map(\.path))
    }

    /// Checks that no rings cross, that holes lie within their outer rings, and that areas do not overlap.
    ///
    /// - Throws: ``PlaceShape/Invalid`` naming the rings or areas.
    /// - Complexity: O(n²) at worst for n corners, of which there are at most ``StoryLimits/shapeCorners``.
    func check() throws(PlaceShape.Invalid) {
        guard areas.count > 1 || areas.contains(where: { $0.count > 1 }) else { return }
        try checkCrossings()
        for (number, rings) in areas.enumerated() { try checkHoles(rings, at: paths[number]) }
        try checkOverlaps()
    }

    /// One line of a ring.
    private struct Edge {
        /// The number of the ring among all.
        let ring: Int
        let position: Int
        let start: Corner
        let end: Corner

        var west: Double { min(start.longitude, end.longitude) }
        var east: Double { max(start.longitude, end.longitude) }
        private var south: Double { min(start.latitude, end.latitude) }
        private var north: Double { max(start.latitude, end.latitude) }

        /// Returns whether two lines cross, each with both ends clearly on different sides of the other.
        func crosses(_ other: Edge) -> Bool {
            guard south <= other.north, other.south <= north else { return false }
            return separates(other.start, other.end) && other.separates(start, end)
        }

        private func separates(_ first: Corner, _ second: Corner) -> Bool {
            // Twice the area of a triangle is its height over the edge, times the length of that.
            let least = RingLayout.tolerance * PlaceShape.length(start, end)
            let (a, b) = (turn(to: first), turn(to: second))
            return a > least && b < -least || a < -least && b > least
        }

        private func turn(to corner: Corner) -> Double {
            (end.longitude - start.longitude) * (corner.latitude - start.latitude)
                - (end.latitude - start.latitude) * (corner.longitude - start.longitude)
        }
    }

    private func checkCrossings() throws(PlaceShape.Invalid) {
        var (edges, names) = ([Edge](), [String]())
        for (number, rings) in areas.enumerated() {
            for (index, ring) in rings.enumerated() {
                for (position, line) in zip(ring, ring.dropFirst()).enumerated() {
                    edges.append(Edge(ring: names.count, position: position, start: line.0, end: line.1))
                }
                names.append("\(paths[number])[\(index)]")
            }
        }
        edges.sort { ($0.west, $0.position) < ($1.west, $1.position) }
        for (index, edge) in edges.enumerated() {
            for other in edges[(index + 1)...] {
                guard other.west <= edge.east else { break }
                guard other.ring != edge.ring, edge.crosses(other) else { continue }
                throw PlaceShape.Invalid(
                    "has rings that cross: the line after position \(edge.position) of \(names[edge.ring]) and the line "
                        + "after position \(other.position) of \(names[other.ring]), counted from 0"
                )
            }
        }
    }

    private func checkHoles(_ rings: [[Corner]], at path: String) throws(PlaceShape.Invalid) {
        guard let outer = rings.first else { return }
        for (number, hole) in rings.enumerated().dropFirst() {
            let isOutside = RingLayout.points(on: hole)
                .contains { !RingLayout.isWithin([outer], $0) && !RingLayout.isNear([outer], $0) }
            guard isOutside else { continue }
            throw PlaceShape.Invalid(
                "has a hole outside of its outer ring, \(path)[\(number)]; leave it out, or give it as an area of its own"
            )
        }
    }

    private func checkOverlaps() throws(PlaceShape.Invalid) {
        guard areas.count > 1 else { return }
        let boxes = areas.map { Box($0.first ?? []) }
        let points = areas.map { RingLayout.points(on: $0.first ?? []) + [PlaceShape.inside($0)] }
        // Whether an area has a point clearly inside of another, of which no ring crosses its own.
        func reaches(_ area: Int, into other: Int) -> Bool {
            points[area].contains { RingLayout.isWithin(areas[other], $0) && !RingLayout.isNear(areas[other], $0) }
        }
        for first in areas.indices {
            for second in areas.indices.dropFirst(first + 1) where boxes[first].overlaps(boxes[second]) {
                guard reaches(second, into: first) || reaches(first, into: second) else { continue }
                throw PlaceShape.Invalid(
                    "has parts that overlap, \(paths[first]) and \(paths[second]); join them to one area"
                )
            }
        }
    }

    /// The box around a ring.
    private struct Box {
        let longitudes: (least: Double, most: Double)
        let latitudes: (least: Double, most: Double)

        init(_ ring: [Corner]) {
            longitudes = PlaceShape.span(of: ring.map(\.longitude))
            latitudes = PlaceShape.span(of: ring.map(\.latitude))
        }

        func overlaps(_ other: Box) -> Bool {
            longitudes.least < other.longitudes.most && other.longitudes.least < longitudes.most
                && latitudes.least < other.latitudes.most && other.latitudes.least < latitudes.most
        }
    }
}

// Points and areas.
extension RingLayout {
    /// Returns the corners of a ring, and the middles of its lines.
    private static func points(on ring: [Corner]) -> [Corner] {
        var points: [Corner] = []
        points.reserveCapacity(2 * ring.count)
        for (a, b) in zip(ring, ring.dropFirst()) {
            let longitude = a.longitude + (b.longitude - a.longitude) / 2
            let latitude = a.latitude + (b.latitude - a.latitude) / 2
            points += [a, Corner(longitude: longitude, latitude: latitude)]
        }
        return points
    }

    /// Returns whether a point lies in an odd number of rings.
    private static func isWithin(_ rings: [[Corner]], _ point: Corner) -> Bool {
        var isWithin = false
        for ring in rings {
            for (a, b) in zip(ring, ring.dropFirst())
            where (a.latitude > point.latitude) != (b.latitude > point.latitude) {
                let share = (point.latitude - a.latitude) / (b.latitude - a.latitude)
                if a.longitude + share * (b.longitude - a.longitude) > point.longitude { isWithin.toggle() }
            }
        }
        return isWithin
    }

    /// Returns whether a point counts as one on a ring.
    private static func isNear(_ rings: [[Corner]], _ point: Corner) -> Bool {
        rings.contains { ring in
            zip(ring, ring.dropFirst()).contains { distance(of: point, from: $0, to: $1) <= tolerance }
        }
    }

    /// Returns the distance of a point from a line in degrees.
    private static func distance(of point: Corner, from a: Corner, to b: Corner) -> Double {
        let (x, y) = (b.longitude - a.longitude, b.latitude - a.latitude)
        let square = x * x + y * y
        let along = (point.longitude - a.longitude) * x + (point.latitude - a.latitude) * y
        let share = square > 0 ? min(1, max(0, along / square)) : 0
        return PlaceShape.length(point, Corner(longitude: a.longitude + share * x, latitude: a.latitude + share * y))
    }
}
