import Stories

/// Groups rings into areas, for formats that tell outer rings and holes apart by their direction alone.
enum RingGroups {
    typealias Position = (x: Double, y: Double)

    /// Returns the rings of each area by their numbers, the outer one first.
    ///
    /// Outer rings run clockwise. A hole belongs to the smallest ring around it; one that lies in none is an area of its
    /// own. Of a geometry with more corners than a place may have, a hole belongs to the outer ring before it. Rings in
    /// degrees that step over more than half a turn go the short way, across the antimeridian.
    ///
    /// - Complexity: O(holes · corners), with at most ``StoryLimits/shapeCorners`` corners.
    static func areas(_ given: [[Position]]) -> [[Int]] {
        let isGeographic = given.allSatisfy { $0.allSatisfy { abs($0.x) <= 360 && abs($0.y) <= 90 } }
        let rings = isGeographic ? given.map(continued) : given
        let turns = isGeographic ? [0.0, 360, -360] : [0]
        let sizes = rings.map(twiceTheArea)
        guard rings.reduce(0, { $0 + $1.count }) <= StoryLimits.shapeCorners else { return inOrder(sizes) }
        var areas = rings.indices.filter { sizes[$0] <= 0 }.map { [$0] }
        for hole in rings.indices where sizes[hole] > 0 {
            let around = areas.indices.filter { area in
                turns.contains { surrounds(rings[areas[area][0]], rings[hole], movedBy: $0) }
            }
            if let smallest = around.min(by: { abs(sizes[areas[$0][0]]) < abs(sizes[areas[$1][0]]) }) {
                areas[smallest].append(hole)
            } else {
                areas.append([hole])
            }
        }
        return areas.sorted { $0[0] < $1[0] }
    }

    /// Returns a ring in degrees with longitudes that continue where they step over more than half a turn.
    private static func continued(_ ring: [Position]) -> [Position] {
        var (turn, last) = (0.0, ring.first?.x ?? 0)
        return ring.map { position in
            let step = position.x - last
            if abs(step) > 180, abs(step) < 360 { turn += step > 0 ? -360 : 360 }
            last = position.x
            return (x: position.x + turn, y: position.y)
        }
    }

    private static func inOrder(_ sizes: [Double]) -> [[Int]] {
        var areas: [[Int]] = []
        for (ring, size) in sizes.enumerated() {
            if size > 0, !areas.isEmpty { areas[areas.count - 1].append(ring) } else { areas.append([ring]) }
        }
        return areas
    }

    /// Returns twice the area of a ring, by the shoelace formula: negative if it runs clockwise.
    private static func twiceTheArea(of ring: [Position]) -> Double {
        zip(ring, ring.dropFirst()).reduce(0.0) { $0 + $1.0.x * $1.1.y - $1.1.x * $1.0.y }
    }

    /// Returns whether a ring lies around another that does not cross it: around the middle of its first line, as corners
    /// may touch.
    private static func surrounds(_ outer: [Position], _ ring: [Position], movedBy turn: Double) -> Bool {
        guard ring.count > 1 else { return false }
        let (x, y) = ((ring[0].x + ring[1].x) / 2 + turn, (ring[0].y + ring[1].y) / 2)
        var isInside = false
        for (a, b) in zip(outer, outer.dropFirst()) where (a.y > y) != (b.y > y) {
            if a.x + (y - a.y) / (b.y - a.y) * (b.x - a.x) > x { isInside.toggle() }
        }
        return isInside
    }
}
