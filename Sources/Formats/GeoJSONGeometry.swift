/// An error in a geometry.
struct GeometryError: Error {
    /// One sentence without a full stop.
    let reason: String
}

/// Reduces GeoJSON geometries to one point that lies on them.
enum GeoJSONGeometry {
    typealias Position = GeoJSONFeature.Position

    /// Returns a point on the geometry, or `nil` if it is empty.
    ///
    /// For a point, this is the point itself; for several points, the first; for lines, the middle of the longest. For
    /// polygons, it is the middle of the widest horizontal section at half the height of the largest polygon, so it
    /// lies inside even if the polygon has holes or bays. Of a collection, it is on the first of its areas, else of its
    /// lines, else of its points.
    static func position(of geometry: JSONValue) throws(GeometryError) -> Position? {
        guard let type = geometry["type"]?.string else { throw GeometryError(reason: "the geometry has no type") }
        let coordinates = geometry["coordinates"]
        switch type {
        case "Point": return try array(coordinates).isEmpty ? nil : position(coordinates)
        case "MultiPoint": return try line(coordinates).first
        case "LineString": return middle(of: try line(coordinates))
        case "MultiLineString": return middle(of: try lines(coordinates).max { length($0) < length($1) } ?? [])
        case "Polygon": return inside([try lines(coordinates)])
        case "MultiPolygon":
            var polygons: [[[Position]]] = []
            for polygon in try array(coordinates) { polygons.append(try lines(polygon)) }
            return inside(polygons)
        case "GeometryCollection":
            guard let parts = geometry["geometries"]?.array else {
                throw GeometryError(reason: "the geometries are not an array")
            }
            var found: (dimension: Int, position: Position)?
            for part in parts {
                let dimension = dimension(of: part)
                if let position = try position(of: part), dimension > found?.dimension ?? -1 {
                    found = (dimension, position)
                }
            }
            return found?.position
        default:
            throw GeometryError(
                reason: "\(type.prefix(40)) is not a GeoJSON geometry; its type must be Point, LineString, Polygon, "
                    + "MultiPoint, MultiLineString, MultiPolygon or GeometryCollection"
            )
        }
    }

    private static func dimension(of geometry: JSONValue) -> Int {
        switch geometry["type"]?.string {
        case "Polygon", "MultiPolygon": 2
        case "LineString", "MultiLineString": 1
        case "GeometryCollection": geometry["geometries"]?.array?.map(dimension).max() ?? 0
        default: 0
        }
    }

    private static func array(_ value: JSONValue?) throws(GeometryError) -> [JSONValue] {
        guard let elements = value?.array else { throw GeometryError(reason: "the coordinates are not an array") }
        return elements
    }

    private static func position(_ value: JSONValue?) throws(GeometryError) -> Position {
        guard let x = value?[0]?.number, let y = value?[1]?.number else {
            throw GeometryError(reason: "a position is not an array of two numbers, longitude and latitude")
        }
        return Position(x: x, y: y)
    }

    private static func line(_ value: JSONValue?) throws(GeometryError) -> [Position] {
        var positions: [Position] = []
        for element in try array(value) { positions.append(try position(element)) }
        return positions
    }

    private static func lines(_ value: JSONValue?) throws(GeometryError) -> [[Position]] {
        var all: [[Position]] = []
        for element in try array(value) { all.append(try line(element)) }
        return all
    }

    private static func length(_ line: [Position]) -> Double {
        zip(line, line.dropFirst()).reduce(0) { $0 + distance($1.0, $1.1) }
    }

    private static func distance(_ a: Position, _ b: Position) -> Double {
        ((a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y)).squareRoot()
    }

    /// Returns the point halfway along a line.
    private static func middle(of line: [Position]) -> Position? {
        var rest = length(line) / 2
        guard rest > 0, rest.isFinite else { return line.first }
        for (a, b) in zip(line, line.dropFirst()) {
            let step = distance(a, b)
            if step >= rest, step > 0 {
                let share = rest / step
                return Position(x: a.x + (b.x - a.x) * share, y: a.y + (b.y - a.y) * share)
            }
            rest -= step
        }
        return line.last
    }

    /// Returns a point inside the largest of the given polygons, each a list of rings.
    private static func inside(_ polygons: [[[Position]]]) -> Position? {
        let largest = polygons.max { area($0.first ?? []) < area($1.first ?? []) } ?? []
        guard let outer = largest.first, let first = outer.first else { return nil }
        let heights = outer.map(\.y)
        let height = ((heights.min() ?? first.y) + (heights.max() ?? first.y)) / 2
        let crossings = largest.flatMap { GeoJSONGeometry.crossings(of: $0, at: height) }.sorted()
        var widest = (start: first.x, end: first.x)
        for index in stride(from: 0, to: crossings.count - 1, by: 2)
        where crossings[index + 1] - crossings[index] > widest.end - widest.start {
            widest = (crossings[index], crossings[index + 1])
        }
        // A polygon without area has no interior, so use its first corner.
        guard widest.end > widest.start else { return first }
        return Position(x: widest.start + (widest.end - widest.start) / 2, y: height)
    }

    /// Returns twice the area of a ring, by the shoelace formula.
    private static func area(_ ring: [Position]) -> Double {
        abs(edges(of: ring).reduce(0) { $0 + $1.0.x * $1.1.y - $1.1.x * $1.0.y })
    }

    private static func crossings(of ring: [Position], at height: Double) -> [Double] {
        edges(of: ring)
            .compactMap { a, b in
                guard (a.y > height) != (b.y > height) else { return nil }
                let x = a.x + (height - a.y) / (b.y - a.y) * (b.x - a.x)
                return x.isFinite ? x : nil
            }
    }

    private static func edges(of ring: [Position]) -> [(Position, Position)] {
        Array(zip(ring, ring.dropFirst() + ring.prefix(1)))
    }
}
