public import Geometry

/// The settlement that a position belongs to, or the nearest one to it.
public struct ReverseMatch: Hashable, Sendable {
    /// The settlement, with its county, region and country.
    public var place: GazetteerMatch
    /// The distance from its centre, in kilometres.
    public var distanceKilometres: Double
    /// The direction from its centre, degrees clockwise from north.
    public var bearing: Double
    /// Whether the position lies well outside of the settlement.
    public var isNear: Bool
    /// "Atlanta, Georgia, United States", or "near Sparks, Nevada, United States, 75 km north-east".
    public var label: String
}

/// How positions are named.
public struct ReverseOptions: Hashable, Sendable {
    /// Farther outside of a settlement than this, in kilometres, a position is said to be near it.
    public var nearKilometres: Double
    /// Farther outside of every settlement than this, in kilometres, nothing is found.
    public var farthestKilometres: Double

    /// Creates options.
    public init(nearKilometres: Double = 10, farthestKilometres: Double = 300) {
        self.nearKilometres = nearKilometres
        self.farthestKilometres = farthestKilometres
    }
}

extension GazetteerIndex {
    /// Names a position by the settlement whose edge is nearest, or whose centre is deepest around it.
    ///
    /// The distance is measured on the sphere, less the radius a settlement of its population has; poles and the
    /// antimeridian are nothing special. Returns `nil` at sea and in empty country.
    /// - Complexity: O(log *n*) on average.
    public func reverse(_ coordinate: Coordinate, options: ReverseOptions = ReverseOptions()) -> ReverseMatch? {
        var search = NearestSettlement(coordinate, in: tree)
        search.run()
        guard let place = place(search.place), search.kilometresOutside <= options.farthestKilometres else {
            return nil
        }
        let distance = GreatCircle.distance(place.coordinate, coordinate) / 1000
        let bearing = GreatCircle.bearing(from: place.coordinate, to: coordinate)
        let match = describe(place)
        let isNear = search.kilometresOutside > options.nearKilometres
        return ReverseMatch(
            place: match,
            distanceKilometres: distance,
            bearing: bearing,
            isNear: isNear,
            label: isNear
                ? "near \(match.label), \(Int(distance.rounded())) km \(Self.direction(bearing))" : match.label
        )
    }

    private static func direction(_ bearing: Double) -> String {
        let names = ["north", "north-east", "east", "south-east", "south", "south-west", "west", "north-west"]
        return names[Int((bearing / 45).rounded()) & 7]
    }
}

/// A branch-and-bound search for the settlement with the least distance less radius.
struct NearestSettlement: Sendable {
    private typealias Node = GazetteerFormat.Node

    /// The place found, if any.
    private(set) var place: Int?
    /// The distance to its edge; negative inside.
    private(set) var kilometresOutside = Double.infinity

    private let tree: ByteView
    private let target: UnitVector

    init(_ coordinate: Coordinate, in tree: ByteView) {
        self.tree = tree
        target = UnitVector(latitude: coordinate.latitude, longitude: coordinate.longitude)
    }

    mutating func run() {
        visit(0, tree.count / Node.length, axis: 0, offX: 0, offY: 0, offZ: 0)
    }

    /// Visits the nodes from `low` up to `high`, whose box is (offX, offY, offZ) away from the target.
    private mutating func visit(_ low: Int, _ high: Int, axis: Int, offX: Double, offY: Double, offZ: Double) {
        guard low < high else { return }
        let middle = (low + high) / 2
        let node = middle * Node.length
        // An arc is longer than its chord, which is longer than the way to the box.
        let away = (offX * offX + offY * offY + offZ * offZ).squareRoot() * GreatCircle.earthRadius / 1000
        guard away - Double(tree.loadFloat(node + Node.largestRadius)) < kilometresOutside else { return }
        let dx = target.x - Double(tree.loadFloat(node + Node.x))
        let dy = target.y - Double(tree.loadFloat(node + Node.y))
        let dz = target.z - Double(tree.loadFloat(node + Node.z))
        let outside =
            UnitVector.kilometres(squaredChord: dx * dx + dy * dy + dz * dz)
            - Double(tree.loadFloat(node + Node.radius))
        let number = Int(tree.load(node + Node.place, as: UInt32.self))
        if outside < kilometresOutside || (outside == kilometresOutside && number < place ?? .max) {
            kilometresOutside = outside
            place = number
        }
        let difference = axis == 0 ? dx : axis == 1 ? dy : dz
        let next = axis == 2 ? 0 : axis + 1
        let farX = axis == 0 ? difference : offX
        let farY = axis == 1 ? difference : offY
        let farZ = axis == 2 ? difference : offZ
        if difference < 0 {
            visit(low, middle, axis: next, offX: offX, offY: offY, offZ: offZ)
            visit(middle + 1, high, axis: next, offX: farX, offY: farY, offZ: farZ)
        } else {
            visit(middle + 1, high, axis: next, offX: offX, offY: offY, offZ: offZ)
            visit(low, middle, axis: next, offX: farX, offY: farY, offZ: farZ)
        }
    }
}
