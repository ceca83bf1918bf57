import Geometry

/// A person's real positions, second by second, in metres on a plane.
public struct TruePath: Hashable, Sendable {
    /// The positions, one per second.
    public private(set) var points: [SIMD2<Double>] = []
    /// The times in whole seconds without reception, such as in tunnels.
    var blind: [Range<Int>] = []
    /// The times in whole seconds spent in buildings.
    var indoors: [Range<Int>] = []

    /// The duration of the path in seconds.
    public var seconds: Int { max(0, points.count - 1) }

    /// Creates a path from positions that are one second apart.
    public init(_ points: [SIMD2<Double>]) { self.points = points }

    /// Returns the position at a time in seconds since the start, interpolated between two positions.
    public func point(at seconds: Double) -> SIMD2<Double> {
        guard let last = points.last else { return .zero }
        guard seconds > 0 else { return points[0] }
        let whole = Int(min(seconds, Double(points.count)))
        guard whole + 1 < points.count else { return last }
        return points[whole] + (points[whole + 1] - points[whole]) * (seconds - Double(whole))
    }

    var end: SIMD2<Double> { points.last ?? .zero }

    mutating func wait(_ seconds: Int) {
        for _ in 0..<max(0, seconds) { points.append(end) }
    }

    /// Moves straight to a point at a speed in metres per second.
    mutating func go(to target: SIMD2<Double>, speed: Double) {
        let start = end
        let seconds = (target - start).length / speed
        guard seconds > 0 else { return }
        var second = 1.0
        while second < seconds {
            points.append(start + (target - start) * (second / seconds))
            second += 1
        }
        points.append(target)
    }

    mutating func cut(to seconds: Int) {
        if points.count > seconds + 1 { points.removeLast(points.count - seconds - 1) }
    }
}

extension TruePath {
    /// Generates a path for a scenario; `random` determines its course.
    init(_ scenario: TraceScenario, around place: SIMD2<Double>, random: inout SplitMix64) {
        self.init([.zero])
        let seconds = scenario.seconds
        switch scenario.mode {
        case .walk: wander(seconds, Gait.walk, &random)
        case .drive: wander(seconds, Gait.drive, &random)
        case .bus: wander(seconds, Gait.bus, &random)
        case .indoor: wander(seconds, Gait.indoor, &random)
        case .tunnel:
            wander(seconds, Gait.drive, &random)
            dig(&random)
        case .linger: linger(seconds, place, scenario.radius, &random)
        case .shuttle: shuttle(seconds, place, scenario.radius, &random)
        }
        cut(to: seconds)
    }

    /// Follows a route at the pace of a mode, with its stops.
    init(along route: [SIMD2<Double>], mode: TravelMode, random: inout SplitMix64) {
        self.init([route.first ?? .zero])
        let gait = Gait(mode)
        for target in route.dropFirst() {
            go(to: target, speed: gait.speed(&random))
            if random.unit() < gait.stops { wait(Int(random.number(gait.stop.lowerBound, gait.stop.upperBound))) }
        }
        if mode == .tunnel { dig(&random) }
        if mode == .linger || mode == .shuttle { wait(3_600) }
    }

    private mutating func wander(_ seconds: Int, _ gait: Gait, _ random: inout SplitMix64) {
        var heading = Int(random.next() % 4)
        while points.count <= seconds {
            let leg = gait.leg(&random)
            let directions: [SIMD2<Double>] = [SIMD2(0, 1), SIMD2(1, 0), SIMD2(0, -1), SIMD2(-1, 0)]
            go(to: end + directions[heading] * leg, speed: gait.speed(&random))
            if random.unit() < gait.stops {
                let start = points.count
                wait(Int(random.number(gait.stop.lowerBound, gait.stop.upperBound)))
                if gait.entersBuildings { indoors.append(start..<points.count) }
            }
            let turn = random.unit()
            if turn >= gait.straight { heading = (heading + (turn < (1 + gait.straight) / 2 ? 1 : 3)) % 4 }
        }
    }

    /// Removes reception for periods of one to four minutes, with four to fifteen minutes between them.
    private mutating func dig(_ random: inout SplitMix64) {
        var time = Int(random.number(120, 600))
        while time < seconds {
            let length = Int(random.number(60, 240))
            blind.append(time..<(time + length))
            time += length + Int(random.number(240, 900))
        }
    }

    private mutating func linger(
        _ seconds: Int,
        _ place: SIMD2<Double>,
        _ radius: Double,
        _ random: inout SplitMix64
    ) {
        let angle = 2 * Double.pi * random.unit()
        let distance = max(0, radius + random.number(-40, 40))
        self = TruePath([place + SIMD2(Math.sine(angle), Math.cosine(angle)) * distance])
        wait(seconds)
    }

    private mutating func shuttle(
        _ seconds: Int,
        _ place: SIMD2<Double>,
        _ radius: Double,
        _ random: inout SplitMix64
    ) {
        let angle = 2 * Double.pi * random.unit()
        let away = place + SIMD2(Math.sine(angle), Math.cosine(angle)) * (radius + 300)
        self = TruePath([away])
        while points.count <= seconds {
            go(to: place + SIMD2(random.number(-40, 40), random.number(-40, 40)), speed: random.number(1.2, 6))
            wait(Int(random.number(600, 1_200)))
            go(to: away, speed: random.number(1.2, 6))
            wait(Int(random.number(120, 600)))
        }
    }
}

/// How a person moves.
private struct Gait {
    var speeds: ClosedRange<Double>
    var legs: ClosedRange<Double>
    /// The probability of stopping at a corner.
    var stops: Double
    /// How long a stop lasts, in seconds.
    var stop: ClosedRange<Double>
    /// The probability of going straight on at a corner.
    var straight = 0.5
    var entersBuildings = false

    static let walk = Gait(speeds: 0.9...1.8, legs: 100...100, stops: 0.12, stop: 60...1_200)
    static let drive = Gait(speeds: 8...22, legs: 300...1_100, stops: 0.5, stop: 10...90, straight: 0.4)
    static let bus = Gait(speeds: 6...13, legs: 250...450, stops: 0.9, stop: 10...40, straight: 0.8)
    static let indoor = Gait(
        speeds: 0.9...1.8,
        legs: 100...100,
        stops: 0.15,
        stop: 300...1_800,
        entersBuildings: true
    )

    init(
        speeds: ClosedRange<Double>,
        legs: ClosedRange<Double>,
        stops: Double,
        stop: ClosedRange<Double>,
        straight: Double = 0.5,
        entersBuildings: Bool = false
    ) {
        self.speeds = speeds
        self.legs = legs
        self.stops = stops
        self.stop = stop
        self.straight = straight
        self.entersBuildings = entersBuildings
    }

    init(_ mode: TravelMode) {
        switch mode {
        case .walk, .linger, .shuttle: self = .walk
        case .drive, .tunnel: self = .drive
        case .bus: self = .bus
        case .indoor: self = .indoor
        }
    }

    func speed(_ random: inout SplitMix64) -> Double {
        guard legs.lowerBound == legs.upperBound else { return random.number(speeds.lowerBound, speeds.upperBound) }
        return min(speeds.upperBound, max(speeds.lowerBound, 1.35 + 0.15 * random.normal()))
    }

    func leg(_ random: inout SplitMix64) -> Double { random.number(legs.lowerBound, legs.upperBound) }
}
