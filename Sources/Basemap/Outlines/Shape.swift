import Formats

/// A vertex of a shape with its weight: the zooms that draw it are those whose tolerance it exceeds.
struct Vertex: Sendable {
    var x: Double
    var y: Double
    /// The square of the distance that the vertex adds to the line, in units of the world squared.
    var weight: Float

    /// A point where a line was cut; it is always drawn, so that adjoining tiles meet in it.
    static func cut(x: Double, y: Double) -> Vertex { Vertex(x: x, y: y, weight: .infinity) }

    subscript(axis: Axis) -> Double { axis == .x ? x : y }
}

/// A direction of the map: west to east, or north to south.
enum Axis: Sendable {
    case x, y
}

/// A shape, or the part of it in a tile.
struct Shape: Sendable {
    /// The lowest zoom that draws it.
    var minimumZoom: Int
    /// What the tiles say of it; shapes that say the same share the array.
    var properties: [(key: String, value: VectorTile.Value)]
    /// Whether the parts are rings: an outer ring, then its holes.
    var isPolygon: Bool
    var parts: [[Vertex]]

    init(_ feature: OutlineFile.Feature, isPolygon: Bool, minimumZoom: Int) {
        let properties: [(key: String, value: VectorTile.Value)] =
            feature.name.isEmpty ? [] : [(key: "name", value: .text(feature.name))]
        self.init(feature.parts, isPolygon: isPolygon, minimumZoom: minimumZoom, properties: properties)
    }

    init(
        _ parts: [[WorldPoint]],
        isPolygon: Bool,
        minimumZoom: Int,
        properties: [(key: String, value: VectorTile.Value)]
    ) {
        self.minimumZoom = minimumZoom
        self.isPolygon = isPolygon
        self.properties = properties
        self.parts = parts.map { part in
            let weights = isPolygon ? Simplification.weights(ofRing: part) : Simplification.weights(of: part)
            return zip(part, weights).map { Vertex(x: $0.x, y: $0.y, weight: $1) }
        }
    }

    /// Cuts out the stripe from `low` to `high` along an axis; returns `nil` if nothing lies in it.
    func clipped(along axis: Axis, from low: Double, to high: Double) -> Shape? {
        var shape = self
        if isPolygon {
            shape.parts = parts.map { Shape.ring($0, along: axis, from: low, to: high) }
            // A hole lies inside its outer ring, so nothing is left of it either.
            guard let outer = shape.parts.first, outer.count >= 3 else { return nil }
            shape.parts.removeAll { $0.count < 3 }
        } else {
            shape.parts = parts.flatMap { Shape.lines($0, along: axis, from: low, to: high) }
            guard !shape.parts.isEmpty else { return nil }
        }
        return shape
    }

    /// Cuts a ring at both sides of a stripe (Sutherland and Hodgman 1974).
    ///
    /// Parts of the ring outside become edges along the sides.
    private static func ring(_ ring: [Vertex], along axis: Axis, from low: Double, to high: Double) -> [Vertex] {
        let (least, most) = range(of: ring, along: axis)
        if least >= low && most <= high { return ring }
        if most <= low || least >= high { return [] }
        let half = least < low ? side(of: ring, along: axis, at: low, keepsLarger: true) : ring
        return most > high ? side(of: half, along: axis, at: high, keepsLarger: false) : half
    }

    private static func side(of ring: [Vertex], along axis: Axis, at limit: Double, keepsLarger: Bool) -> [Vertex] {
        func isInside(_ vertex: Vertex) -> Bool { keepsLarger ? vertex[axis] >= limit : vertex[axis] <= limit }
        guard var last = ring.last else { return [] }
        var result: [Vertex] = []
        result.reserveCapacity(ring.count)
        var wasInside = isInside(last)
        for vertex in ring {
            let inside = isInside(vertex)
            if inside != wasInside { result.append(crossing(last, vertex, axis, limit)) }
            if inside { result.append(vertex) }
            (last, wasInside) = (vertex, inside)
        }
        return result
    }

    /// Cuts a line at both sides of a stripe, into as many lines as times it lies inside.
    private static func lines(_ line: [Vertex], along axis: Axis, from low: Double, to high: Double) -> [[Vertex]] {
        let (least, most) = range(of: line, along: axis)
        if least >= low && most <= high { return [line] }
        if most < low || least > high { return [] }
        var lines: [[Vertex]] = []
        var current: [Vertex] = []
        for (start, end) in zip(line, line.dropFirst()) {
            let (from, to) = (start[axis], end[axis])
            if max(from, to) < low || min(from, to) > high {
                finish(&current, in: &lines)
                continue
            }
            if current.isEmpty {
                let limit = from < low ? low : from > high ? high : nil
                current.append(limit.map { crossing(start, end, axis, $0) } ?? start)
            }
            if to < low || to > high {
                current.append(crossing(start, end, axis, to < low ? low : high))
                finish(&current, in: &lines)
            } else {
                current.append(end)
            }
        }
        finish(&current, in: &lines)
        return lines
    }

    private static func finish(_ line: inout [Vertex], in lines: inout [[Vertex]]) {
        if line.count >= 2 { lines.append(line) }
        line = []
    }

    private static func range(of line: [Vertex], along axis: Axis) -> (least: Double, most: Double) {
        var (least, most) = (Double.infinity, -Double.infinity)
        for vertex in line {
            least = min(least, vertex[axis])
            most = max(most, vertex[axis])
        }
        return (least, most)
    }

    /// The point at which the line between two vertices reaches `limit`.
    private static func crossing(_ start: Vertex, _ end: Vertex, _ axis: Axis, _ limit: Double) -> Vertex {
        let share = (limit - start[axis]) / (end[axis] - start[axis])
        return switch axis {
        case .x: .cut(x: limit, y: start.y + (end.y - start.y) * share)
        case .y: .cut(x: start.x + (end.x - start.x) * share, y: limit)
        }
    }
}
