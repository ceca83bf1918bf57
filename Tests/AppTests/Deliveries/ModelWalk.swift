import Foundation
import Geometry

/// One device on its way during a round: where it goes, and what of that it has sent.
struct ModelWalk: Sendable {
    /// How many seconds lie between two positions.
    static let pace = 5.0
    /// How many positions a walk has.
    static let length = 18

    let device: TellingOracle.Device
    let path: [TellingOracle.Fix]
    /// Where it stays, if it does.
    let middle: TellingOracle.Point?
    /// Whether what it says comes only when it is of no use any more.
    let isOffline: Bool
    /// The oracle's number of it.
    var number = 0
    /// What was measured and not put into a batch yet.
    var measured: [String] = []
    /// The batches that wait to be answered.
    var batches: [[String]] = []
    /// The last batches that were.
    var sent: [[String]] = []

    /// A random walk among sites.
    init(
        of device: TellingOracle.Device,
        among sites: [TellingOracle.Point],
        wasAway: Bool,
        using generator: inout SplitMix64
    ) {
        self.device = device
        let site = sites[Int.random(in: 0..<sites.count, using: &generator)]
        let chance = Int.random(in: 0..<100, using: &generator)
        var walk = Path(generator: generator)
        switch chance {
        case ..<(wasAway ? 65 : 15): (path, middle, isOffline) = (walk.stay(at: site), site, false)
        case ..<72:
            let away = TellingOracle.Point(x: site.x + 1_250, y: site.y + 1_250)
            (path, middle, isOffline) = (walk.stay(at: away), away, false)
        case ..<84: (path, middle, isOffline) = (walk.wobble(around: site), nil, false)
        case ..<94: (path, middle, isOffline) = (walk.drive(near: site), nil, false)
        default: (path, middle, isOffline) = (walk.stay(at: site), nil, true)
        }
        generator = walk.generator
    }

    /// Puts what was measured into a batch.
    mutating func pack() {
        guard !measured.isEmpty else { return }
        batches.append(measured)
        measured = []
    }

    /// Sends again what was sent, and in another order.
    mutating func disturb(using generator: inout SplitMix64) {
        if let old = sent.randomElement(using: &generator), Int.random(in: 0..<8, using: &generator) == 0 {
            batches.append(old)
        }
        if batches.count > 1, Int.random(in: 0..<3, using: &generator) == 0 { batches.swapAt(0, batches.count - 1) }
        if let count = batches.first?.count, count > 1, Int.random(in: 0..<3, using: &generator) == 0 {
            batches[0].shuffle(using: &generator)
        }
    }

    /// Lays out paths.
    private struct Path {
        var generator: SplitMix64

        private mutating func number(_ range: ClosedRange<Double>) -> Double {
            Double.random(in: range, using: &generator)
        }

        /// Around one point, now and then with a position that is far off.
        mutating func stay(at middle: TellingOracle.Point) -> [TellingOracle.Fix] {
            (0..<ModelWalk.length)
                .map { step in
                    let isWrong = step > 1 && Int.random(in: 0..<40, using: &generator) == 0
                    let spread = isWrong ? 2_000.0 : 6
                    let at = TellingOracle.Point(
                        x: middle.x + number(-spread...spread),
                        y: middle.y + number(-spread...spread)
                    )
                    return TellingOracle.Fix(at: at, accuracy: number(5...12).rounded())
                }
        }

        /// About the edge of a place, with a bad receiver.
        mutating func wobble(around site: TellingOracle.Point) -> [TellingOracle.Fix] {
            let (angle, away) = (number(0...(2 * Double.pi)), number(60...350))
            let middle = TellingOracle.Point(x: site.x + away * cos(angle), y: site.y + away * sin(angle))
            return (0..<ModelWalk.length)
                .map { _ in
                    let at = TellingOracle.Point(x: middle.x + number(-80...80), y: middle.y + number(-80...80))
                    return TellingOracle.Fix(at: at, accuracy: number(8...60).rounded())
                }
        }

        /// Past a site, or through it.
        mutating func drive(near site: TellingOracle.Point) -> [TellingOracle.Fix] {
            let (angle, speed, off) = (number(0...(2 * Double.pi)), number(8...25), number(-500...500))
            let direction = TellingOracle.Point(x: cos(angle), y: sin(angle))
            return (0..<ModelWalk.length)
                .map { step in
                    let along = (Double(step) - Double(ModelWalk.length) / 2) * speed * ModelWalk.pace
                    let at = TellingOracle.Point(
                        x: site.x + along * direction.x - off * direction.y + number(-5...5),
                        y: site.y + along * direction.y + off * direction.x + number(-5...5)
                    )
                    return TellingOracle.Fix(at: at, accuracy: number(5...15).rounded())
                }
        }
    }
}
