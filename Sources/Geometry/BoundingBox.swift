/// A box of latitudes and longitudes in degrees; it crosses the antimeridian when `west > east`.
///
/// An existing value is always valid: finite, south at most equal to north, all edges within the globe.
public struct BoundingBox: Hashable, Sendable {
    /// The western edge, degrees, -180...180.
    public let west: Double
    /// The southern edge, degrees, -90...90.
    public let south: Double
    /// The eastern edge, degrees, -180...180; smaller than `west` when the box crosses the antimeridian.
    public let east: Double
    /// The northern edge, degrees, -90...90.
    public let north: Double

    /// The whole globe.
    public static let world = BoundingBox(unchecked: -180, -90, 180, 90)

    /// Creates a box, or `nil` if an edge is not finite or off the globe, or if south is greater than north.
    public init?(west: Double, south: Double, east: Double, north: Double) {
        guard Coordinate(latitude: south, longitude: west) != nil else { return nil }
        guard Coordinate(latitude: north, longitude: east) != nil, south <= north else { return nil }
        self.init(unchecked: west, south, east, north)
    }

    /// Creates a box that contains exactly one coordinate.
    public init(_ coordinate: Coordinate) {
        self.init(unchecked: coordinate.longitude, coordinate.latitude, coordinate.longitude, coordinate.latitude)
    }

    private init(unchecked west: Double, _ south: Double, _ east: Double, _ north: Double) {
        self.west = west
        self.south = south
        self.east = east
        self.north = north
    }

    /// Whether the box crosses the 180th meridian.
    public var crossesAntimeridian: Bool { west > east }

    /// The width in degrees of longitude, 0...360.
    public var width: Double { crossesAntimeridian ? east + 360 - west : east - west }

    /// The height in degrees of latitude, 0...180.
    public var height: Double { north - south }

    /// The centre of the box.
    public var center: Coordinate {
        Coordinate(wrappingLatitude: (south + north) / 2, longitude: west + width / 2)
    }

    /// Returns whether the closed box contains `coordinate`; the 180th meridian belongs to boxes that touch it from
    /// either side.
    public func contains(_ coordinate: Coordinate) -> Bool {
        guard coordinate.latitude >= south, coordinate.latitude <= north else { return false }
        if containsLongitude(coordinate.longitude) { return true }
        // +180 and -180 are the same meridian.
        guard abs(coordinate.longitude) == 180 else { return false }
        return containsLongitude(-coordinate.longitude)
    }

    /// Returns whether the two closed boxes have a point in common.
    public func touches(_ other: BoundingBox) -> Bool {
        guard south <= other.north, other.south <= north else { return false }
        let east = other.west - west
        let offset = east < 0 ? east + 360 : east
        return offset <= width || 360 - offset <= other.width
    }

    private func containsLongitude(_ longitude: Double) -> Bool {
        crossesAntimeridian ? longitude >= west || longitude <= east : longitude >= west && longitude <= east
    }

    /// The one or two boxes, none of which cross the antimeridian, that together cover this one.
    public var parts: [BoundingBox] {
        guard crossesAntimeridian else { return [self] }
        return [
            BoundingBox(unchecked: west, south, 180, north),
            BoundingBox(unchecked: -180, south, east, north),
        ]
    }

    /// Returns the box expanded by a distance in metres on every side; it may then span all longitudes.
    public func expanded(byMetres metres: Double) -> BoundingBox {
        let latitude = max(0, metres) / GreatCircle.metresPerDegree
        let newSouth = max(-90, south - latitude)
        let newNorth = min(90, north + latitude)
        let widest = min(89.999, max(abs(newSouth), abs(newNorth)))
        let longitude = latitude / Math.cosine(Math.radians(widest))
        guard width + 2 * longitude < 360, newSouth > -90, newNorth < 90 else {
            return BoundingBox(unchecked: -180, newSouth, 180, newNorth)
        }
        return BoundingBox(
            unchecked: Coordinate.wrap(longitude: west - longitude),
            newSouth,
            Coordinate.wrap(longitude: east + longitude),
            newNorth
        )
    }

    /// Returns the smallest box around both, choosing the shorter way round the globe.
    public func union(_ other: BoundingBox) -> BoundingBox {
        let south = min(self.south, other.south)
        let north = max(self.north, other.north)
        let candidates = [(west, other.east), (other.west, east), (west, east), (other.west, other.east)]
        let fitting = candidates.map { BoundingBox(unchecked: $0.0, south, $0.1, north) }
            .filter { $0.covers(self) && $0.covers(other) }
        let world = BoundingBox(unchecked: -180, south, 180, north)
        return fitting.min { ($0.width, $0.west) < ($1.width, $1.west) } ?? world
    }

    /// Returns whether every longitude of `other` lies in this box.
    private func covers(_ other: BoundingBox) -> Bool {
        if width >= 360 { return true }
        let start = (other.west - west).truncatingRemainder(dividingBy: 360)
        let offset = start < 0 ? start + 360 : start
        // Without the tolerance, a rounding error could rule out the shorter way round the globe.
        return offset + other.width <= width + 1e-9
    }
}

extension BoundingBox {
    /// An error in the text of a bounding box, described for the author of the text.
    public struct ParsingError: Error, Equatable, Sendable, CustomStringConvertible {
        /// One sentence: the error and the expected form.
        public let description: String
    }

    /// Parses `west,south,east,north` in degrees.
    ///
    /// - Throws: ``ParsingError`` naming the number that is missing, invalid or out of range.
    public init(parsing text: some StringProtocol) throws(ParsingError) {
        let fields = text.split(separator: ",", omittingEmptySubsequences: false)
        guard fields.count == 4 else {
            throw ParsingError(description: "expected four numbers west,south,east,north, found \(fields.count)")
        }
        var numbers: [Double] = []
        for (name, field) in zip(["west", "south", "east", "north"], fields) {
            guard let number = DecimalText.number(field.drop { $0 == " " }) else {
                throw ParsingError(description: "\(name) is not a number")
            }
            let limit: Double = name == "west" || name == "east" ? 180 : 90
            guard abs(number) <= limit else {
                throw ParsingError(description: "\(name) must lie between -\(Int(limit)) and \(Int(limit))")
            }
            numbers.append(number)
        }
        guard numbers[1] <= numbers[3] else {
            throw ParsingError(description: "south is greater than north; the order is west,south,east,north")
        }
        self.init(unchecked: numbers[0], numbers[1], numbers[2], numbers[3])
    }
}
