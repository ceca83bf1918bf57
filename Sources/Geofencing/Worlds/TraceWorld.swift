public import Geometry

/// A made-up trace with its truth: where somebody really was, where the fences are, and what the device reported.
public struct TraceWorld: Hashable, Sendable {
    /// The plane that the truth is drawn on.
    public let plane: Plane
    /// When it begins, milliseconds since 1970.
    public let start: Int64
    /// Where the person was.
    public let path: TruePath
    /// The centres of the fences.
    public let places: [SIMD2<Double>]
    /// The fences, in the order of ``places``.
    public let fences: [Fence]
    /// The reports in the order of their receipt.
    public let fixes: [Fix]
    /// The same in parts; what lies between two parts is unknown.
    public let segments: [[Fix]]

    /// When made-up traces begin unless somebody wishes otherwise: 2026-03-02, 08:00 UTC.
    public static let usualStart: Int64 = 1_772_438_400_000

    /// Creates a world from its parts, made elsewhere: the path in steps of a second from `start`.
    ///
    /// The plane touches the globe where the path begins.
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

    /// Where the person was, second by second.
    public var truth: [Coordinate] { path.points.map(plane.coordinate) }

    /// Makes the world of a scenario; the same scenario, anchor and seed give the same world.
    public init(_ scenario: TraceScenario, around anchor: Coordinate, seed: UInt64, start: Int64 = usualStart) {
        var random = SplitMix64(seed: SplitMix64.mix(seed))
        let middle = SIMD2(random.number(-50, 50), random.number(-50, 50))
        let path = TruePath(scenario, around: middle, random: &random)
        let staysThere = scenario.mode == .linger || scenario.mode == .shuttle
        let places = TraceWorld.places(along: path, first: staysThere ? middle : nil, scenario, &random)
        self.init(scenario, path: path, places: places, plane: Plane(anchor), start: start, random: &random)
    }

    /// Makes the world of a route that is followed at the pace of the scenario's mode.
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

    /// Fences anywhere around a path, as many as the scenario has in a square kilometre.
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
