import Geometry

/// One hypothesis about the position of a device; vectors are in metres in the axes of ``LocalFrame`` at the track's
/// origin.
struct Supposition: Hashable, Sendable {
    var weight: Double
    var position: Vector
    /// The velocity in metres per second.
    var velocity: Vector
    /// The persistent error.
    var bias: Vector
    var covariance: TrackCovariance

    /// The standard deviation of the position in metres per axis.
    var deviation: Double { max(0, covariance.pp).squareRoot() }

    init(weight: Double, position: Vector, velocity: Vector, bias: Vector, covariance: TrackCovariance) {
        self.weight = weight
        self.position = position
        self.velocity = velocity
        self.bias = bias
        self.covariance = covariance
    }

    /// Creates a hypothesis that starts afresh at a position.
    init(weight: Double, at position: Vector, _ model: TrackModel) {
        let lasting = model.lastingVariance
        self.init(
            weight: weight,
            position: position,
            velocity: .zero,
            bias: .zero,
            covariance: TrackCovariance(
                pp: lasting + model.freshVariance,
                pv: 0,
                pb: -lasting,
                vv: model.drivingPace * model.drivingPace,
                vb: 0,
                bb: lasting
            )
        )
    }

    func weighing(_ weight: Double) -> Supposition {
        var copy = self
        copy.weight = weight
        return copy
    }

    func predicted(_ step: TrackStep, pace: Double) -> Supposition {
        var next = self
        next.position = position + velocity * step.reach
        next.velocity = velocity * step.kept
        next.bias = bias * step.lasting
        next.covariance.predict(step, pace * pace)
        return next
    }

    /// Returns the difference between a fix and its expected position.
    func misfit(_ fix: Vector) -> Vector { fix - position - bias }

    func taking(_ misfit: Vector, share: Double, _ model: TrackModel) -> Supposition {
        var next = self
        let variance = covariance.measured + model.freshVariance
        next.weight *=
            share * Math.exponential(-misfit.dot(misfit) / (2 * variance)) / (2 * .pi * variance)
        let gains = next.covariance.update(variance)
        next.position = position + misfit * gains.position
        next.velocity = velocity + misfit * gains.velocity
        next.bias = bias + misfit * gains.bias
        return next
    }

    func isLike(_ other: Supposition) -> Bool {
        let apart = position - other.position
        let drift = velocity - other.velocity
        return apart.dot(apart) < 0.25 * (covariance.pp + other.covariance.pp)
            && drift.dot(drift) < 0.5 * (covariance.vv + other.covariance.vv)
    }

    /// Moves the origin of the vectors to `origin` and rotates the axes eastward by `turn` radians.
    mutating func move(to origin: Vector, turn: Double) {
        let sine = Math.sine(turn)
        let cosine = Math.cosine(turn)
        position = (position - origin).turned(sine, cosine)
        velocity = velocity.turned(sine, cosine)
        bias = bias.turned(sine, cosine)
    }
}
