import Geometry

// Shapes of several parts.
extension PlaceShape {
    /// Creates a shape of several points.
    ///
    /// - Throws: ``Invalid`` for too few or too many of them, or one off the globe.
    public init(multiPoint points: [Corner]) throws(Invalid) {
        try PlaceShape.checkCounts(parts: points.count, corners: points.count)
        for point in points { try PlaceShape.check([[point]]) }
        self = .multiPoint(points)
    }

    /// Creates a shape of several lines.
    ///
    /// - Throws: ``Invalid`` for too few lines or too many corners, or a line that alone would be invalid.
    public init(multiLine lines: [[Corner]]) throws(Invalid) {
        try PlaceShape.checkCounts(parts: lines.count, corners: lines.reduce(0) { $0 + $1.count })
        for line in lines { _ = try PlaceShape(line: line) }
        self = .multiLine(lines)
    }

    /// Creates a shape of several areas, each an outer ring, followed by its holes.
    ///
    /// - Throws: ``Invalid`` for too few areas or too many corners, or an area that alone would be invalid.
    public init(multiPolygon areas: [[[Corner]]]) throws(Invalid) {
        try PlaceShape.checkCounts(parts: areas.count, corners: areas.joined().reduce(0) { $0 + $1.count })
        for rings in areas { _ = try PlaceShape(polygon: rings) }
        self = .multiPolygon(areas)
    }

    /// Checks the numbers of parts and of corners of all parts together.
    private static func checkCounts(parts: Int, corners: Int) throws(Invalid) {
        guard parts > 0 else { throw Invalid("must have at least one part") }
        guard corners <= StoryLimits.shapeCorners else {
            throw Invalid("must have at most \(StoryLimits.shapeCorners) positions; simplify it")
        }
    }

    /// The type as GeoJSON names it.
    public var type: String {
        switch self {
        case .line: "LineString"
        case .polygon: "Polygon"
        case .multiPoint: "MultiPoint"
        case .multiLine: "MultiLineString"
        case .multiPolygon: "MultiPolygon"
        }
    }

    /// Whether the shape is given in parts, be it only one.
    ///
    /// Such a shape makes no fence.
    public var hasParts: Bool {
        switch self {
        case .line, .polygon: false
        case .multiPoint, .multiLine, .multiPolygon: true
        }
    }

    /// What tells shapes in parts apart that have the same lines: the type, and the number of lines of each part; empty
    /// for a line or an area.
    package var structure: String {
        switch self {
        case .line, .polygon: ""
        case .multiPoint, .multiLine: type
        case .multiPolygon(let areas): type + areas.map { " \($0.count)" }.joined()
        }
    }

    /// The smallest box around all parts.
    ///
    /// Parts on both sides of the antimeridian, also those of an area that was cut there as RFC 7946 says, have a box
    /// across it and not one around the globe: the box begins behind the widest gap between the parts.
    var boxOfParts: BoundingBox {
        let lines = self.lines
        let (south, north) = PlaceShape.span(of: lines.joined().map(\.latitude))
        let spans = lines.map { PlaceShape.span(of: $0.map(\.longitude)) }.sorted { $0.least < $1.least }
        // How far the parts before a gap reach, at first those that end beyond the antimeridian.
        var reach = (spans.map(\.most).max() ?? 0) - 360
        var (gap, west, east) = (0.0, -180.0, 180.0)
        for span in spans {
            if span.least - reach > gap { (gap, west, east) = (span.least - reach, span.least, reach) }
            reach = max(reach, span.most)
        }
        // -180 stays where a part touches it from the east.
        if east < -180 || (east == -180 && spans.allSatisfy { $0.least > -180 }) { east += 360 }
        if east > 180 { east -= 360 }
        return BoundingBox(west: west, south: south, east: east, north: north) ?? .world
    }

    /// Returns the longest line, in degrees; of equal ones the first.
    static func longest(_ lines: [[Corner]]) -> [Corner] {
        first(of: lines) { line in zip(line, line.dropFirst()).map { length($0, $1) }.reduce(0, +) } ?? []
    }

    /// Returns the area with the largest outer ring, in degrees; of equal ones the first.
    static func largest(_ areas: [[[Corner]]]) -> [[Corner]] {
        first(of: areas) { rings in abs(twiceTheArea(of: rings.first ?? [])) } ?? []
    }

    /// Returns twice the area of a ring, by the shoelace formula; the sign follows from its direction.
    private static func twiceTheArea(of ring: [Corner]) -> Double {
        var sum = 0.0
        for (a, b) in zip(ring, ring.dropFirst()) { sum += a.longitude * b.latitude - b.longitude * a.latitude }
        return sum
    }

    /// Returns the distance between two corners in degrees.
    static func length(_ a: Corner, _ b: Corner) -> Double {
        let (x, y) = (a.longitude - b.longitude, a.latitude - b.latitude)
        return (x * x + y * y).squareRoot()
    }

    private static func first<Part>(of parts: [Part], by size: (Part) -> Double) -> Part? {
        var largest: (part: Part, size: Double)?
        for part in parts {
            let extent = size(part)
            if extent > largest?.size ?? -1 { largest = (part, extent) }
        }
        return largest?.part
    }
}
