public import Geometry

/// The shape of a place that is more than a point: a line, an area, or several points, lines or areas, kept as given
/// (LOC-10).
///
/// Every value is valid: its corners are on the globe, its rings are closed, and no line jumps across the antimeridian.
/// Beyond it, longitudes continue past 180 degrees.
public enum PlaceShape: Hashable, Sendable {
    /// A line of at least two corners.
    case line([Corner])
    /// An area: an outer ring, followed by its holes.
    case polygon([[Corner]])
    /// Several points, at least one.
    case multiPoint([Corner])
    /// Several lines, at least one.
    case multiLine([[Corner]])
    /// Several areas, at least one; each an outer ring, followed by its holes.
    case multiPolygon([[[Corner]]])

    /// A corner in degrees.
    public struct Corner: Hashable, Sendable {
        /// The longitude, -180...540: beyond 180 where the shape crosses the antimeridian.
        public let longitude: Double
        /// The latitude, -90...90.
        public let latitude: Double

        /// Creates a corner.
        public init(longitude: Double, latitude: Double) {
            self.longitude = longitude
            self.latitude = latitude
        }
    }

    /// The error thrown for an invalid shape.
    public struct Invalid: Error, Hashable, Sendable, CustomStringConvertible {
        /// The error and how to fix it, without a full stop.
        public let description: String

        init(_ description: String) { self.description = description }
    }

    /// Creates a line from its corners.
    ///
    /// - Throws: ``Invalid`` for too few or too many corners, one off the globe, or a jump across the antimeridian.
    public init(line: [Corner]) throws(Invalid) {
        guard line.count >= 2 else { throw Invalid("must have at least two positions") }
        try PlaceShape.check([line])
        self = .line(line)
    }

    /// Creates an area from its outer ring and its holes.
    ///
    /// - Throws: ``Invalid`` for rings that are open or too short, too many corners, one off the globe, or a jump across
    ///   the antimeridian.
    public init(polygon: [[Corner]]) throws(Invalid) {
        guard !polygon.isEmpty else { throw Invalid("must have a ring") }
        for ring in polygon {
            guard ring.count >= 4, ring.first == ring.last else {
                throw Invalid("must have rings of at least four positions, the last equal to the first")
            }
        }
        try PlaceShape.check(polygon)
        self = .polygon(polygon)
    }

    /// The lines of the shape: one for a line, the rings of an area, those of all parts of a shape with several; a point
    /// is a line of one corner.
    public var lines: [[Corner]] {
        switch self {
        case .line(let line): [line]
        case .polygon(let rings): rings
        case .multiPoint(let points): points.map { [$0] }
        case .multiLine(let lines): lines
        case .multiPolygon(let areas): Array(areas.joined())
        }
    }

    /// The number of corners.
    public var cornerCount: Int { lines.reduce(0) { $0 + $1.count } }

    static func check(_ lines: [[Corner]]) throws(Invalid) {
        guard lines.reduce(0, { $0 + $1.count }) <= StoryLimits.shapeCorners else {
            throw Invalid("must have at most \(StoryLimits.shapeCorners) positions; simplify it")
        }
        let corners = lines.joined()
        for corner in corners where !(-90...90).contains(corner.latitude) || !(-180...540).contains(corner.longitude) {
            throw Invalid(outOfRange(corner))
        }
        let (west, east) = span(of: corners.map(\.longitude))
        guard west <= 180 else {
            throw Invalid("must begin between -180 and 180 degrees of longitude; write \(turned(west)) for \(west)")
        }
        guard east - west <= 360 else { throw Invalid("must not go more than once around the globe") }
        for line in lines {
            for (a, b) in zip(line, line.dropFirst()) where abs(a.longitude - b.longitude) > 180 {
                throw Invalid(
                    "has a line that jumps across the antimeridian, from longitude \(a.longitude) to \(b.longitude); continue "
                        + "longitudes beyond 180 there"
                )
            }
        }
    }

    /// Returns what is wrong with a position that is not on the globe; it begins with a verb.
    package static func outOfRange(_ corner: Corner) -> String {
        guard (-90...90).contains(corner.latitude), abs(corner.longitude) <= 540 else {
            return "has a position out of range; positions are longitude, latitude in WGS 84"
        }
        let longitude = corner.longitude
        return "has a longitude that is not between -180 and 180; write \(turned(longitude)) for \(longitude)"
    }

    /// Returns the same meridian between -180 and 180 degrees, without what a double adds to the digits.
    package static func turned(_ longitude: Double) -> Double {
        (Coordinate.wrap(longitude: longitude) * 1e9).rounded() / 1e9
    }

    static func span(of numbers: [Double]) -> (least: Double, most: Double) {
        (numbers.min() ?? 0, numbers.max() ?? 0)
    }
}

extension PlaceShape {
    /// The smallest box around the shape; its west is greater than its east if it crosses the antimeridian.
    public var box: BoundingBox {
        if hasParts { return boxOfParts }
        let corners = lines.joined()
        let (west, east) = PlaceShape.span(of: corners.map(\.longitude))
        let (south, north) = PlaceShape.span(of: corners.map(\.latitude))
        let isWholeTurn = east - west >= 360
        return BoundingBox(
            west: isWholeTurn ? -180 : west,
            south: south,
            east: isWholeTurn ? 180 : east > 180 ? east - 360 : east,
            north: north
        ) ?? .world
    }

    /// A point on the shape, by which it is placed on a map: the middle of a line; for an area, the middle of the widest
    /// section at half its height, so that it lies inside even if the area has bays or holes.
    ///
    /// Of several parts it is on the first point, the longest line or the largest area.
    public var anchor: Coordinate {
        let corner: Corner
        switch self {
        case .line(let line): corner = PlaceShape.middle(of: line)
        case .polygon(let rings): corner = PlaceShape.inside(rings)
        case .multiPoint(let points): corner = points.first ?? Corner(longitude: 0, latitude: 0)
        case .multiLine(let lines): corner = PlaceShape.middle(of: PlaceShape.longest(lines))
        case .multiPolygon(let areas): corner = PlaceShape.inside(PlaceShape.largest(areas))
        }
        return Coordinate(wrappingLatitude: corner.latitude, longitude: corner.longitude)
    }

    /// Returns the point halfway along a line, in degrees.
    private static func middle(of line: [Corner]) -> Corner {
        let steps = Array(zip(line, line.dropFirst()))
        var rest = steps.reduce(0) { $0 + length($1.0, $1.1) } / 2
        for (a, b) in steps {
            let step = length(a, b)
            if step >= rest, step > 0 {
                let share = rest / step
                return Corner(
                    longitude: a.longitude + (b.longitude - a.longitude) * share,
                    latitude: a.latitude + (b.latitude - a.latitude) * share
                )
            }
            rest -= step
        }
        return line.last ?? Corner(longitude: 0, latitude: 0)
    }

    /// Returns a point inside an area, in degrees.
    static func inside(_ rings: [[Corner]]) -> Corner {
        let (south, north) = span(of: (rings.first ?? []).map(\.latitude))
        let height = south + (north - south) / 2
        let crossings =
            rings.flatMap { ring in
                zip(ring, ring.dropFirst())
                    .compactMap { a, b -> Double? in
                        guard (a.latitude > height) != (b.latitude > height) else { return nil }
                        let share = (height - a.latitude) / (b.latitude - a.latitude)
                        return a.longitude + share * (b.longitude - a.longitude)
                    }
            }
            .sorted()
        var widest: (start: Double, end: Double)?
        for index in stride(from: 0, to: crossings.count - 1, by: 2) {
            let section = (start: crossings[index], end: crossings[index + 1])
            if section.end - section.start > widest.map({ $0.end - $0.start }) ?? 0 { widest = section }
        }
        // An area without width has no interior.
        guard let widest else { return rings.first?.first ?? Corner(longitude: 0, latitude: 0) }
        return Corner(longitude: widest.start + (widest.end - widest.start) / 2, latitude: height)
    }
}

extension PlaceShape {
    /// The shape prepared for measuring distances to it, or `nil` if it has several parts, or is too large or too near a
    /// pole for a fence; see ``Outline/fits(_:)``.
    public var outline: Outline? {
        guard !hasParts else { return nil }
        let corners = lines.map { line in line.map { SIMD2($0.longitude, $0.latitude) } }
        let isArea = if case .polygon = self { true } else { false }
        return Outline(lines: corners, isArea: isArea)
    }
}

extension StoryLimits {
    /// The maximum number of places per story besides its location.
    public static let placeCount = 50
    /// The maximum number of corners of a place.
    public static let shapeCorners = 2_000
    /// The maximum number of characters in the name of a role.
    public static let roleLength = 32
    /// The latest position in a recording, in seconds: a thousand hours.
    public static let recordingSeconds = 3_600_000.0
}
