/// A region in which everyone except a story's owner sees its point at most as precisely as the operator allows
/// (LOC-08).
///
/// Every value is valid: its precision is not exact, and its rings are closed and on the globe.
public struct SensitiveArea: Hashable, Sendable {
    /// A corner in degrees.
    public struct Corner: Hashable, Sendable {
        /// The longitude, -180...540: beyond 180 where the ring crosses the antimeridian.
        public let longitude: Double
        /// The latitude, -90...90.
        public let latitude: Double

        /// Creates a corner.
        public init(longitude: Double, latitude: Double) {
            self.longitude = longitude
            self.latitude = latitude
        }
    }

    /// A closed line of at least four corners; the first equals the last.
    public typealias Ring = [Corner]

    /// The error thrown for an invalid area.
    public struct Invalid: Error, Hashable, Sendable, CustomStringConvertible {
        /// The error and how to fix it, without a full stop.
        public let description: String

        /// Creates an error with a message.
        public init(description: String) {
            self.description = description
        }
    }

    /// The operator's name for it; may be empty.
    public let name: String
    /// The maximum precision of points in it.
    public let precision: LocationPrecision
    /// Its polygons, each an outer ring followed by its holes.
    public let polygons: [[Ring]]

    /// Creates an area; a polygon that begins west of -180 or east of 180 degrees is shifted as a whole, by full turns.
    ///
    /// - Throws: ``Invalid`` for a name that is too long, an exact precision, no polygon, too many corners, a polygon
    ///   that goes more than once around the globe, or rings that are open, too short, off the globe, or that jump
    ///   across the antimeridian.
    public init(name: String, precision: LocationPrecision, polygons: [[Ring]]) throws(Invalid) {
        guard name.utf8.count <= StoryLimits.nameLength else {
            throw Invalid(description: "its name has more than \(StoryLimits.nameLength) bytes")
        }
        guard precision != .exact else { throw Invalid(description: "its precision must be approximate or hidden") }
        guard polygons.contains(where: { !$0.isEmpty }) else { throw Invalid(description: "it has no polygon") }
        let corners = polygons.reduce(0) { $0 + $1.reduce(0) { $0 + $1.count } }
        guard corners <= StoryLimits.areaCorners else {
            throw Invalid(description: "it has more than \(StoryLimits.areaCorners) corners; simplify it")
        }
        var placed: [[Ring]] = []
        for polygon in polygons where !polygon.isEmpty { placed.append(try SensitiveArea.placed(polygon)) }
        self.name = name
        self.precision = precision
        self.polygons = placed
    }

    /// The number of corners.
    public var cornerCount: Int { polygons.reduce(0) { $0 + $1.reduce(0) { $0 + $1.count } } }

    /// Whether it lies on both sides of the antimeridian.
    public var crossesAntimeridian: Bool {
        polygons.contains { $0.contains { $0.contains { $0.longitude > 180 } } }
    }

    /// Returns the polygon shifted by full turns so that its westernmost longitude is within -180...180.
    private static func placed(_ polygon: [Ring]) throws(Invalid) -> [Ring] {
        for ring in polygon { try check(ring) }
        let longitudes = polygon.joined().map(\.longitude)
        guard let west = longitudes.min(), let east = longitudes.max() else { return polygon }
        guard east - west <= 360 else { throw Invalid(description: "it goes more than once around the globe") }
        guard west < -180 || west > 180 else { return polygon }
        let turns = ((west + 180) / 360).rounded(.down) * 360
        return polygon.map { ring in
            ring.map { Corner(longitude: $0.longitude - turns, latitude: $0.latitude) }
        }
    }

    private static func check(_ ring: Ring) throws(Invalid) {
        guard ring.count >= 4, ring.first == ring.last else {
            throw Invalid(description: "a ring must have at least four positions, the last equal to the first")
        }
        for corner in ring {
            guard (-90...90).contains(corner.latitude), (-540...540).contains(corner.longitude) else {
                throw Invalid(description: "a position is out of range; positions are longitude, latitude in WGS 84")
            }
        }
        for (a, b) in zip(ring, ring.dropFirst()) where abs(a.longitude - b.longitude) > 180 {
            // A line along a parallel from edge to edge of the map, as in a belt around the globe, is not a jump.
            if a.latitude == b.latitude, abs(a.longitude) == 180, abs(b.longitude) == 180 { continue }
            throw Invalid(
                description:
                    "a line jumps across the antimeridian; split the area there, or continue longitudes beyond 180"
            )
        }
    }
}
