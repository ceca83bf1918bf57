extension PlaceShape {
    /// Checks that lines have a length, that the rings of an area enclose something and neither cross nor touch
    /// themselves, that holes lie within their outer rings, and that parts do not overlap.
    ///
    /// This is apart from ``init(polygon:)``, because shapes that were stored before this rule must stay readable.
    ///
    /// - Throws: ``Invalid`` naming the line or the ring and the positions, counted from 0.
    /// - Complexity: O(n log n) for the rings of usual areas, O(n²) at worst, for n corners, of which there are at most
    ///   ``StoryLimits/shapeCorners``.
    public func checkRings() throws(Invalid) {
        switch self {
        case .multiPoint: return
        case .line(let line): try PlaceShape.checkLength(of: line, at: "coordinates")
        case .multiLine(let lines):
            for (number, line) in lines.enumerated() {
                try PlaceShape.checkLength(of: line, at: "coordinates[\(number)]")
            }
        case .polygon(let rings): try PlaceShape.checkAreas([(path: "coordinates", rings: rings)])
        case .multiPolygon(let areas):
            try PlaceShape.checkAreas(areas.enumerated().map { (path: "coordinates[\($0.offset)]", rings: $0.element) })
        }
    }

    private static func checkAreas(_ areas: [(path: String, rings: [[Corner]])]) throws(Invalid) {
        for area in areas { try check(area.rings, at: area.path) }
        try RingLayout(areas).check()
    }

    private static func checkLength(of line: [Corner], at path: String) throws(Invalid) {
        guard line.allSatisfy({ $0 == line.first }) else { return }
        throw Invalid("has a line without a length, \(path); give a Point, or leave the line out")
    }

    private static func check(_ rings: [[Corner]], at path: String) throws(Invalid) {
        for (number, corners) in rings.enumerated() {
            let ring = Ring(corners)
            guard !ring.isFlat else {
                throw Invalid(
                    "has a ring without an area, \(path)[\(number)]; give a LineString, or leave the ring out"
                )
            }
            guard let (first, second) = ring.meeting else { continue }
            throw Invalid(
                "has a ring that crosses or touches itself: in \(path)[\(number)], the line after position \(first) "
                    + "meets the line after position \(second), counted from 0; go around the area once"
            )
        }
    }
}

/// A ring without repeated corners.
private struct Ring {
    private typealias Corner = PlaceShape.Corner

    private let corners: [Corner]
    /// The positions of the corners in the ring as given.
    private let positions: [Int]

    init(_ ring: [PlaceShape.Corner]) {
        var (corners, positions) = ([Corner](), [Int]())
        for (position, corner) in ring.enumerated() where corner != corners.last {
            corners.append(corner)
            positions.append(position)
        }
        // The last position repeats the first.
        if corners.count > 1 {
            corners.removeLast()
            positions.removeLast()
        }
        (self.corners, self.positions) = (corners, positions)
    }

    /// Whether all corners lie on one line, but for rounding.
    var isFlat: Bool {
        guard corners.count > 2, let first = corners.first else { return true }
        let far = corners.max { Ring.square(first, $0) < Ring.square(first, $1) } ?? first
        let tolerance = Ring.square(first, far) * 1e-12
        return corners.allSatisfy { abs(Ring.turn(first, far, $0)) <= tolerance }
    }

    /// The positions at which two lines begin that have a point in common besides the corner between them; `nil` if there
    /// are none.
    var meeting: (first: Int, second: Int)? {
        for index in corners.indices where foldsBack(after: index) { return named(index, next(index)) }
        let order = corners.indices.sorted { (west(of: $0), $0) < (west(of: $1), $1) }
        for (rank, line) in order.enumerated() {
            let east = max(corners[line].longitude, corners[next(line)].longitude)
            for other in order[(rank + 1)...] {
                guard west(of: other) <= east else { break }
                guard next(line) != other, next(other) != line else { continue }
                if meet(line, other) { return named(line, other) }
            }
        }
        return nil
    }

    private func named(_ line: Int, _ other: Int) -> (first: Int, second: Int) {
        let (a, b) = (positions[line], positions[other])
        return (min(a, b), max(a, b))
    }

    private func next(_ index: Int) -> Int { index + 1 == corners.count ? 0 : index + 1 }

    private func west(of line: Int) -> Double { min(corners[line].longitude, corners[next(line)].longitude) }

    /// Whether the line after a corner is followed by one that goes back over it.
    private func foldsBack(after index: Int) -> Bool {
        let (a, b, c) = (corners[index], corners[next(index)], corners[next(next(index))])
        guard Ring.turn(a, b, c) == 0 else { return false }
        let along = (a.longitude - b.longitude) * (c.longitude - b.longitude)
        return along + (a.latitude - b.latitude) * (c.latitude - b.latitude) > 0
    }

    /// Whether two lines that are no neighbours have a point in common.
    private func meet(_ line: Int, _ other: Int) -> Bool {
        let (a, b, c, d) = (corners[line], corners[next(line)], corners[other], corners[next(other)])
        guard min(a.latitude, b.latitude) <= max(c.latitude, d.latitude),
            min(c.latitude, d.latitude) <= max(a.latitude, b.latitude)
        else { return false }
        let (ofC, ofD) = (Ring.turn(a, b, c), Ring.turn(a, b, d))
        let (ofA, ofB) = (Ring.turn(c, d, a), Ring.turn(c, d, b))
        if (ofC > 0) != (ofD > 0), (ofA > 0) != (ofB > 0), ofC != 0, ofD != 0, ofA != 0, ofB != 0 { return true }
        return ofC == 0 && Ring.isBetween(a, c, b) || ofD == 0 && Ring.isBetween(a, d, b)
            || ofA == 0 && Ring.isBetween(c, a, d) || ofB == 0 && Ring.isBetween(c, b, d)
    }

    /// Twice the area of a triangle: positive if its corners turn left, 0 if they lie on one line.
    private static func turn(_ a: Corner, _ b: Corner, _ c: Corner) -> Double {
        (b.longitude - a.longitude) * (c.latitude - a.latitude) - (b.latitude - a.latitude)
            * (c.longitude - a.longitude)
    }

    /// Whether a corner on the line through two others lies between them.
    private static func isBetween(_ a: Corner, _ corner: Corner, _ b: Corner) -> Bool {
        (min(a.longitude, b.longitude)...max(a.longitude, b.longitude)).contains(corner.longitude)
            && (min(a.latitude, b.latitude)...max(a.latitude, b.latitude)).contains(corner.latitude)
    }

    private static func square(_ a: Corner, _ b: Corner) -> Double {
        let (x, y) = (a.longitude - b.longitude, a.latitude - b.latitude)
        return x * x + y * y
    }
}
