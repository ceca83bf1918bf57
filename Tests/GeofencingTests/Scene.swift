import Geofencing
import Geometry

/// Metres east and north of an anchor, on which tests draw.
struct Scene {
    let anchor: Coordinate

    init(latitude: Double = 33.7554, longitude: Double = -84.3736) {
        anchor = Coordinate(wrappingLatitude: latitude, longitude: longitude)
    }

    func point(_ east: Double, _ north: Double) -> Coordinate {
        let distance = Math.hypotenuse(east, north)
        guard distance > 0 else { return anchor }
        let bearing = Math.degrees(Math.arcTangent(y: east, x: north))
        return GreatCircle.destination(from: anchor, bearing: bearing, distance: distance)
    }

    func fence(_ east: Double = 0, _ north: Double = 0, radius: Double = 150) -> Fence {
        Fence(point(east, north), radius: radius)
    }

    func fix(
        _ seconds: Double,
        _ east: Double,
        _ north: Double = 0,
        accuracy: Double? = 8,
        speed: Double? = nil,
        received: Double? = nil
    ) -> Fix {
        Fix(
            time: Scene.start + Int64(seconds * 1000),
            received: Scene.start + Int64((received ?? seconds) * 1000),
            coordinate: point(east, north),
            accuracy: accuracy,
            speed: speed
        )
    }

    static let start: Int64 = 1_790_000_000_000
}

extension [FenceEffect] {
    var entries: [FenceEntry] {
        compactMap { if case .entered(let entry) = $0 { entry } else { nil } }
    }

    var exits: [FenceExit] {
        compactMap { if case .left(let exit) = $0 { exit } else { nil } }
    }

    /// The final outcomes, without those of fixes merely held.
    var outcomes: [FixOutcome] {
        compactMap { if case .outcome(_, let outcome) = $0, outcome != .held { outcome } else { nil } }
    }

    var allOutcomes: [FixOutcome] {
        compactMap { if case .outcome(_, let outcome) = $0 { outcome } else { nil } }
    }

    var explanations: [FenceExplanation] {
        compactMap { if case .explained(let explanation) = $0 { explanation } else { nil } }
    }
}

/// Errors of a receiver: slowly drifting, with white noise and now and then a lying outlier.
struct Receiver {
    var drift: (east: Double, north: Double) = (0, 0)
    let deviation: Double
    let memory: Double
    let white: Double
    let outliers: Double
    var random: SplitMix64

    static func urban(seed: UInt64) -> Receiver {
        Receiver(deviation: 9, memory: 90, white: 3, outliers: 0.012, random: SplitMix64(seed: seed))
    }

    static func canyon(seed: UInt64) -> Receiver {
        Receiver(deviation: 18, memory: 120, white: 6, outliers: 0.03, random: SplitMix64(seed: seed))
    }

    /// The error in metres east and north and the accuracy stated, `seconds` after the last.
    mutating func error(after seconds: Double) -> (east: Double, north: Double, accuracy: Double) {
        let keep = Math.exponential(-seconds / memory)
        let fresh = (1 - keep * keep).squareRoot() * deviation
        drift = (keep * drift.east + fresh * normal(), keep * drift.north + fresh * normal())
        let radius = 1.51 * Math.hypotenuse(deviation, white)
        let stated = radius * Math.exponential(0.35 * normal())
        guard random.unit() < outliers else {
            return (drift.east + white * normal(), drift.north + white * normal(), stated)
        }
        let jump = 120 * Math.exponential(0.7 * normal())
        let angle = 2 * Double.pi * random.unit()
        let isHonest = random.unit() < 0.6
        return (jump * Math.sine(angle), jump * Math.cosine(angle), isHonest ? jump : 5)
    }

    mutating func normal() -> Double {
        let radius = (-2 * Math.naturalLogarithm(1 - random.unit())).squareRoot()
        return radius * Math.cosine(2 * .pi * random.unit())
    }
}
