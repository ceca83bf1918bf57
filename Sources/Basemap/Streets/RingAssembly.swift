/// Joins lines that meet at their ends, and sorts rings into outer ones and holes.
package enum RingAssembly: Sendable {
    /// The maximum number of comparisons of a vertex with an edge for one area.
    static let effort = 50_000_000

    /// Joins lines at their ends into as few as possible; those that come back to their beginning are rings.
    ///
    /// A ring repeats its first position at its end. Where more than two lines meet, the first given is taken.
    /// - Complexity: O(*n*).
    package static func joined<Position: Hashable>(_ lines: [[Position]]) -> [[Position]] {
        var ends: [Position: [Int]] = [:]
        for (index, line) in lines.enumerated() where line.count >= 2 {
            if line[0] == line[line.count - 1] { continue }
            ends[line[0], default: []].append(index)
            ends[line[line.count - 1], default: []].append(index)
        }
        var isUsed = [Bool](repeating: false, count: lines.count)
        /// Takes the next line that begins or ends at a position, turned so that it begins there.
        func next(at position: Position) -> [Position]? {
            while let index = ends[position]?.popLast() {
                if isUsed[index] { continue }
                isUsed[index] = true
                return lines[index][0] == position ? lines[index] : lines[index].reversed()
            }
            return nil
        }
        for key in ends.keys { ends[key]?.reverse() }
        var chains: [[Position]] = []
        for (index, line) in lines.enumerated() where line.count >= 2 && !isUsed[index] {
            isUsed[index] = true
            var chain = line
            while chain[0] != chain[chain.count - 1], let more = next(at: chain[chain.count - 1]) {
                chain += more.dropFirst()
            }
            if chain[0] != chain[chain.count - 1] {
                var before: [Position] = [chain[0]]
                while before[before.count - 1] != chain[chain.count - 1], let more = next(at: before[before.count - 1])
                {
                    before += more.dropFirst()
                }
                chain = before.reversed() + chain.dropFirst()
            }
            chains.append(chain)
        }
        return chains
    }

    /// Sorts rings into polygons, the largest first; returns `nil` if that takes too long.
    ///
    /// A polygon is the number of its outer ring, followed by those of its holes. A ring inside an odd number of others
    /// is a hole of the smallest of them. Rings do not repeat their first position.
    static func polygons(of rings: [[WorldPoint]]) -> [[Int]]? {
        let rings = rings.enumerated().map { Ring(number: $0, points: $1) }.sorted { $0.area > $1.area }
        var work = 0
        var polygons: [[Int]] = []
        /// The polygon of each ring if it is an outer one.
        var polygonOf: [Int?] = []
        for (index, ring) in rings.enumerated() {
            var depth = 0
            var parent: Int?
            work += index
            for larger in 0..<index where rings[larger].box.contains(ring.box) {
                work += rings[larger].points.count
                guard work <= effort else { return nil }
                guard rings[larger].contains(ring) else { continue }
                depth += 1
                parent = larger
            }
            if depth % 2 == 1, let polygon = parent.flatMap({ polygonOf[$0] }) {
                polygons[polygon].append(ring.number)
                polygonOf.append(nil)
            } else {
                polygonOf.append(polygons.count)
                polygons.append([ring.number])
            }
        }
        return polygons
    }

    private struct Ring {
        let number: Int
        let points: [WorldPoint]
        let area: Double
        let box: WorldBox

        init(number: Int, points: [WorldPoint]) {
            self.number = number
            self.points = points
            area = abs(RingAssembly.signedArea(points))
            box = WorldBox(of: points)
        }

        /// Whether a smaller ring that does not cross this one lies inside; they may touch.
        func contains(_ ring: Ring) -> Bool {
            // A vertex of both says nothing, so the middles of edges are tried as well.
            for index in ring.points.indices.prefix(8) {
                let (start, end) = (ring.points[index], ring.points[(index + 1) % ring.points.count])
                let middle = WorldPoint(x: (start.x + end.x) / 2, y: (start.y + end.y) / 2)
                if let isInside = RingAssembly.side(of: middle, in: points) { return isInside }
            }
            return false
        }
    }

    /// Returns whether a point lies inside a ring; `nil` if it lies on an edge, as far as one can tell.
    private static func side(of point: WorldPoint, in ring: [WorldPoint]) -> Bool? {
        var isInside = false
        guard var last = ring.last else { return false }
        for next in ring {
            if (last.y > point.y) != (next.y > point.y) {
                let x = last.x + (point.y - last.y) / (next.y - last.y) * (next.x - last.x)
                // A hundredth of a millimetre on the ground.
                if abs(x - point.x) < 2.5e-13 { return nil }
                if x > point.x { isInside.toggle() }
            }
            last = next
        }
        return isInside
    }

    /// Returns the area of a ring in units of the world squared, positive if it runs clockwise on the screen.
    static func signedArea(_ ring: [WorldPoint]) -> Double {
        guard var last = ring.last, let first = ring.first else { return 0 }
        var doubled = 0.0
        // Relative to a vertex: the numbers are close to each other, and rounding would count.
        for next in ring {
            doubled += (last.x - first.x) * (next.y - first.y) - (next.x - first.x) * (last.y - first.y)
            last = next
        }
        return doubled / 2
    }
}

/// The box around points of the world.
struct WorldBox: Sendable {
    private(set) var west = Double.infinity
    private(set) var north = Double.infinity
    private(set) var east = -Double.infinity
    private(set) var south = -Double.infinity

    var isEmpty: Bool { west > east }

    init() {}

    init(of points: [WorldPoint]) {
        for point in points { add(point) }
    }

    mutating func add(_ point: WorldPoint) {
        (west, east) = (min(west, point.x), max(east, point.x))
        (north, south) = (min(north, point.y), max(south, point.y))
    }

    mutating func add(_ other: WorldBox) {
        (west, east) = (min(west, other.west), max(east, other.east))
        (north, south) = (min(north, other.north), max(south, other.south))
    }

    func contains(_ other: WorldBox) -> Bool {
        west <= other.west && east >= other.east && north <= other.north && south >= other.south
    }
}
