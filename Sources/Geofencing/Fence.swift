public import Geometry

/// What lies within a radius of a published point, or of a line or an area; the evaluator detects when a device enters
/// it.
public struct Fence: Hashable, Sendable {
    /// The id of the point.
    public let id: PlaceID
    /// The centre; of a line or an area, a point on it.
    public let coordinate: Coordinate
    /// The radius in metres, 1...100,000.
    public let radius: Double
    /// The line or the area, or `nil` for a circle around the point.
    ///
    /// The circle around the point lies within such a fence, too.
    public let outline: Outline?

    /// Creates a fence around a point; `radius` is clamped to 1...100,000 metres.
    public init(_ coordinate: Coordinate, radius: Double) {
        self.init(id: PlaceID(coordinate), coordinate: coordinate, radius: radius)
    }

    /// Creates a fence of a known place; `radius` is clamped to 1...100,000 metres.
    ///
    /// The point of an `outline` must be on it.
    public init(id: PlaceID, coordinate: Coordinate, radius: Double, outline: Outline? = nil) {
        self.id = id
        self.coordinate = coordinate
        self.outline = outline
        self.radius = radius.isFinite ? min(Fence.radii.upperBound, max(Fence.radii.lowerBound, radius)) : 1
    }

    /// The allowed radii, in metres.
    static let radii: ClosedRange<Double> = 1...100_000
}

/// The evaluator's source of fences around a fix; it contains only fences that the user may see.
public protocol FenceSource {
    /// The largest radius of any fence in the source, in metres; it determines the search area around a fix.
    var largestRadius: Double { get }

    /// Whether any of the fences may have an outline.
    var hasOutlines: Bool { get }

    /// Returns every fence whose centre lies in `box`, and every fence with an outline whose box touches `box`, in any
    /// order; extra fences are harmless.
    func fences(in box: BoundingBox) -> [Fence]
}

extension FenceSource {
    /// No fence has an outline.
    public var hasOutlines: Bool { false }
}
