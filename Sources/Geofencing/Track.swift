import Geometry

/// An estimate of a device's position: a few hypotheses, each with a position, a velocity and a current error.
///
/// Each hypothesis is a Kalman filter whose measurement error has two parts, one that persists for a minute or two and
/// one that is new with each fix: between buildings the first is larger, and a hundred consecutive fixes are wrong by
/// the same twenty metres. A fix that fits badly splits the hypotheses: it may be wrong, or the device has jumped;
/// later fixes decide.
struct Track: Hashable, Sendable {
    /// The time of the last fix, milliseconds since 1970.
    var time: Int64
    /// The origin of the hypotheses' vectors: the last fix.
    var origin: Coordinate
    /// The hypotheses: at least one, the likeliest first; their weights sum to 1.
    var suppositions: [Supposition]

    /// How likely the device is in a vehicle: 1 while it moves fast, decaying with time.
    var haste = 0.0

    /// The maximum number of hypotheses.
    static let most = 4

    /// Starts a track with a fix.
    init(_ coordinate: Coordinate, at time: Int64, _ model: TrackModel) {
        self.time = time
        origin = coordinate
        suppositions = [Supposition(weight: 1, at: .zero, model)]
    }

    init(time: Int64, origin: Coordinate, haste: Double, suppositions: [Supposition]) {
        self.time = time
        self.origin = origin
        self.haste = haste
        self.suppositions = suppositions
    }

    /// Updates the track with a fix that is later than the last one.
    mutating func update(_ fix: Coordinate, at now: Int64, _ model: TrackModel) {
        let frame = LocalFrame(origin)
        let place = frame.vector(to: fix)
        let step = TrackStep(seconds: Double(now - time) / 1_000, model)
        var next: [Supposition] = []
        next.reserveCapacity(3 * suppositions.count)
        var restarts = 0.0
        let haste = haste * Math.exponential(-Double(now - time) / 300_000)
        let starts = model.startsDriving + model.drivesOn * max(haste, model.couldStart(step.seconds))
        for supposition in suppositions {
            let pace = max(model.leastPace, supposition.velocity.length)
            let before = supposition.predicted(step, pace: pace)
            let misfit = before.misfit(place)
            let strangeness = TrackModel.strangeness(misfit, expected: before.covariance.measured)
            restarts += before.weight * strangeness
            next.append(before.weighing(before.weight * model.outliers * strangeness))
            next.append(before.taking(misfit, share: 1 - model.outliers - starts, model))
            if pace < model.drivingPace {
                next.append(supposition.predicted(step, pace: model.drivingPace).taking(misfit, share: starts, model))
            }
        }
        next.append(Supposition(weight: restarts * model.leaps, at: place, model))
        suppositions = Track.reduced(next)
        let turn = Math.radians(fix.longitude - origin.longitude)
        for index in suppositions.indices { suppositions[index].move(to: place, turn: turn) }
        self.haste = suppositions[0].velocity.length > model.drivingSpeed ? 1 : haste
        origin = fix
        time = now
        // Only a damaged store, not fixes, can lead this far away.
        if !(suppositions[0].position.length < 1e7) { self = Track(fix, at: now, model) }
    }

    /// The likeliest speed in metres per second, in steps of 0.01.
    var speed: Double { LocalFrame.quantized(suppositions[0].velocity.length) }

    /// Whether it is practically certain that the device itself moves, and not only the errors of its fixes change.
    var isMoving: Bool {
        let best = suppositions[0]
        let speed = best.velocity.length
        return speed > 0.7 && speed > 1.5 * max(0, best.covariance.vv).squareRoot()
    }

    /// Returns the likeliest position, and whether it is clear: whether its hypothesis has a weight of more than 0.8.
    func best(leastDeviation: Double, isSimulated: Bool) -> (anchor: Anchor, isClear: Bool) {
        let best = suppositions[0]
        let anchor = Anchor(
            time: time,
            coordinate: LocalFrame(origin).coordinate(best.position),
            accuracy: Inside.deviationsPerAccuracy * max(leastDeviation, best.deviation),
            isSimulated: isSimulated
        )
        return (anchor, best.weight > 0.8)
    }

    /// Returns the likeliest hypotheses after merging equivalent ones; of equally likely hypotheses, the first is kept.
    private static func reduced(_ all: [Supposition]) -> [Supposition] {
        var rest = all.map(\.weight)
        var kept: [Supposition] = []
        kept.reserveCapacity(most)
        var floor = 0.0
        while true {
            var next = 0
            for index in rest.indices.dropFirst() where rest[index] > rest[next] { next = index }
            guard rest[next] > floor else { break }
            if kept.isEmpty { floor = rest[next] * 1e-4 }
            rest[next] = 0
            if let same = kept.firstIndex(where: { $0.isLike(all[next]) }) {
                kept[same].weight += all[next].weight
            } else if kept.count < most {
                kept.append(all[next])
            }
        }
        // All weights have vanished: the hypothesis of the last fix is as good as any.
        guard !kept.isEmpty else { return all.suffix(1).map { $0.weighing(1) } }
        let sum = kept.reduce(0) { $0 + $1.weight }
        for index in kept.indices { kept[index].weight /= sum }
        // There are few hypotheses, and only those that grew by merging can be out of order.
        for index in kept.indices.dropFirst() {
            var place = index
            while place > 0, kept[place].weight > kept[place - 1].weight {
                kept.swapAt(place, place - 1)
                place -= 1
            }
        }
        return kept
    }
}
