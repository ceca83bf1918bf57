public import Geometry

/// A synthetic trace with its ground truth: the person's real positions, the fences, and the device's reports.
public struct TraceWorld: Hashable, Sendable {
    /// The plane of the ground truth.
    public let plane: Plane
    /// The start time, milliseconds since 1970.
    public let start: Int64
    /// The person's positions.
    public let path: TruePath
    /// The centres of the fences.
    public let places: [SIMD2<Double>]
    /// The fences, in the order of ``places``.
    public let fences: [Fence]
    /// The reports in the order of receipt.
    public let fixes: [Fix]
    /// The same reports in segments; the path between two segments is unknown.
    public let segments: [[Fix]]

    /// The default start of synthetic traces: 2026-03-02, 08:00 UTC.
    public static let usualStart: Int64 = 1_772_438_400_000

    /// Creates a world from existing parts, with the path in steps of a second from `start`.
    ///
    /// The plane touches the globe at the start of the path.
    public init(start: Int64, path: [Coordinate], fences: [Fence], segments: [[Fix]]) {
        let plane = Plane(path.first ?? fences.first?.coordinate ?? Coordinate(wrappingLatitude: 0, longitude: 0))
        self.init(
            plane: plane,
            start: start,
            path: TruePath(path.map(plane.point)),
            places: fences.map { plane.point($0.coordinate) },
            fences: fences,
            segments: segments
        )
    }

    private init(
        plane: Plane,
        start: Int64,
        path: TruePath,
        places: [SIMD2<Double>],
        fences: [Fence],
        segments: [[Fix]]
    ) {
        self.plane = plane
        self.start = start
        self.path = path
        self.places = places
        self.fences = fences
        self.segments = segments
        fixes = segments.joined().enumerated()
            .sorted { ($0.element.received, $0.offset) < ($1.element.received, $1.offset) }
            .map(\.element)
    }

    /// The person's positions, second by second.
    public var truth: [Coordinate] { path.points.map(plane.coordinate) }

    /// Generates the world of a scenario; the same scenario, anchor and seed give the same world.
    public init(_ scenario: TraceScenario, around anchor: Coordinate, seed: UInt64, start: Int64 = usualStart) {
        var random = SplitMix64(seed: SplitMix64.mix(seed))
        let middle = SIMD2(random.number(-50, 50), random.number(-50, 50))
        let path = TruePath(scenario, around: middle, random: &random)
        let staysThere = scenario.mode == .linger || scenario.mode == .shuttle
        let places = TraceWorld.places(along: path, first: staysThere ? middle : nil, scenario, &random)
        self.init(scenario, path: path, places: places, plane: Plane(anchor), start: start, random: &random)
    }

    /// Generates the world of a route followed at the pace of the scenario's mode.
    public init(
        _ scenario: TraceScenario,
        along route: [Coordinate],
        seed: UInt64,
        start: Int64 = usualStart
    ) {
        var random = SplitMix64(seed: SplitMix64.mix(seed))
        let plane = Plane(route.first ?? Coordinate(wrappingLatitude: 0, longitude: 0))
        let path = TruePath(along: route.map(plane.point), mode: scenario.mode, random: &random)
        let places = TraceWorld.places(along: path, first: nil, scenario, &random)
        self.init(scenario, path: path, places: places, plane: plane, start: start, random: &random)
    }

    private init(
        _ scenario: TraceScenario,
        path: TruePath,
        places: [SIMD2<Double>],
        plane: Plane,
        start: Int64,
        random: inout SplitMix64
    ) {
        let reports = Reports(scenario, path: path, plane: plane, start: start)
        self.init(
            plane: plane,
            start: start,
            path: path,
            places: places,
            fences: places.map { Fence(plane.coordinate($0), radius: scenario.radius) },
            segments: [reports.fixes(&random)]
        )
    }

    /// Returns the centres of fences: `first`, then random points around a path with the scenario's density per square
    /// kilometre.
    private static func places(
        along path: TruePath,
        first: SIMD2<Double>?,
        _ scenario: TraceScenario,
        _ random: inout SplitMix64
    ) -> [SIMD2<Double>] {
        var low = path.points[0]
        var high = low
        for point in path.points {
            low = SIMD2(min(low.x, point.x), min(low.y, point.y))
            high = SIMD2(max(high.x, point.x), max(high.y, point.y))
        }
        let margin = SIMD2(repeating: scenario.radius + 300)
        low -= margin
        high += margin
        let area = (high.x - low.x) * (high.y - low.y) / 1e6
        let count = min(20_000, Int((area * scenario.density).rounded()))
        var places = first.map { [$0] } ?? []
        for _ in 0..<count { places.append(SIMD2(random.number(low.x, high.x), random.number(low.y, high.y))) }
        return places
    }
}
