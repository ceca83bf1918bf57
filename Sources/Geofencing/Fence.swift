public import Geometry

/// A circle around a published point; entering it is worth knowing.
public struct Fence: Hashable, Sendable {
    /// The point's identity.
    public let id: PlaceID
    /// The centre.
    public let coordinate: Coordinate
    /// The radius in metres, 1...100,000.
    public let radius: Double

    /// Creates a fence around a point; `radius` is clamped into 1...100,000 metres.
    public init(_ coordinate: Coordinate, radius: Double) {
        self.init(id: PlaceID(coordinate), coordinate: coordinate, radius: radius)
    }

    /// Creates a fence of a known place; `radius` is clamped into 1...100,000 metres.
    public init(id: PlaceID, coordinate: Coordinate, radius: Double) {
        self.id = id
        self.coordinate = coordinate
        self.radius = radius.isFinite ? min(Fence.radii.upperBound, max(Fence.radii.lowerBound, radius)) : 1
    }

    /// The radii a fence can have, in metres.
    static let radii: ClosedRange<Double> = 1...100_000
}

/// Where the evaluator finds the fences around a fix; it holds only what the user may see.
public protocol FenceSource {
    /// The largest radius of any fence in the source, in metres; decides how far around a fix is searched.
    var largestRadius: Double { get }

    /// Returns every fence whose centre lies in `box`, in any order; more than that does no harm.
    func fences(in box: BoundingBox) -> [Fence]
}
