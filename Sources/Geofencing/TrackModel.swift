import Geometry

/// A model of a track's expected motion and of the expected errors of its fixes.
struct TrackModel {
    /// The variance in square metres per axis of the persistent error.
    var lastingVariance: Double
    /// The variance of the error that is new with this fix.
    var freshVariance: Double
    /// The values of the options with the same names in ``FenceOptions``, for this property and all that follow.
    var lastingTime: Double
    var paceTime: Double
    var leastPace: Double
    var drivingPace: Double
    var drivingSpeed: Double
    var startsDriving: Double
    var drivesOn: Double
    var outliers: Double
    var leaps: Double

    /// Creates the model for a fix with an accuracy in metres, from a device with a usual accuracy.
    init(_ options: FenceOptions, accuracy: Double, usual: Double) {
        let deviation = Inside.deviation(accuracy: usual)
        let stated = Inside.deviation(accuracy: accuracy)
        lastingVariance = options.lastingShare * deviation * deviation
        // The accuracy reported with a single fix means little, unless it is much worse.
        let isWorse = stated > 2 * deviation
        freshVariance = isWorse ? stated * stated - lastingVariance : deviation * deviation - lastingVariance
        lastingTime = options.lastingTime
        paceTime = options.paceTime
        leastPace = options.leastPace
        drivingPace = options.drivingPace
        drivingSpeed = options.drivingSpeed
        startsDriving = options.startsDriving
        drivesOn = options.drivesOn
        outliers = options.outliers
        leaps = options.leaps
    }

    /// Returns a factor for the probability that the person has entered a vehicle within a number of seconds: near 0
    /// for half a minute, a quarter for ten minutes.
    func couldStart(_ seconds: Double) -> Double {
        let share = seconds / (seconds + 600)
        return share * share
    }

    /// Returns the density of wrong fixes at a distance from the expected position: half of them within 170 metres,
    /// some very far, and more widely spread if the position was uncertain.
    static func strangeness(_ misfit: Vector, expected variance: Double) -> Double {
        let reach = 10_000 + variance
        let ratio = 1 + misfit.dot(misfit) / reach
        return 1 / (2 * .pi * reach * ratio * ratio.squareRoot())
    }
}

/// The effect of elapsed time on a hypothesis.
struct TrackStep {
    let seconds: Double
    let kept: Double
    let reach: Double
    let lasting: Double
    let way: Double
    let mixed: Double
    let speed: Double
    let error: Double

    /// Computes the exact moments of a velocity that decays with time, and of the distance travelled.
    init(seconds: Double, _ model: TrackModel) {
        self.seconds = seconds
        let tau = model.paceTime
        kept = Math.exponential(-seconds / tau)
        reach = tau * (1 - kept)
        lasting = Math.exponential(-seconds / model.lastingTime)
        way = max(0, tau * (2 * seconds - tau * (3 - 4 * kept + kept * kept)))
        mixed = tau * (1 - kept) * (1 - kept)
        speed = (1 - kept * kept)
        error = model.lastingVariance * (1 - lasting * lasting)
    }
}

/// The covariances of position, velocity and persistent error, in metres and seconds; the axes are alike and
/// independent.
struct TrackCovariance: Hashable, Sendable {
    var pp: Double
    var pv: Double
    var pb: Double
    var vv: Double
    var vb: Double
    var bb: Double

    /// The combined variance of position and persistent error, which is the measured quantity.
    var measured: Double { max(0, pp + 2 * pb + bb) }

    mutating func predict(_ step: TrackStep, _ pace: Double) {
        pp += 2 * step.reach * pv + step.reach * step.reach * vv + step.way * pace
        pv = step.kept * (pv + step.reach * vv) + step.mixed * pace
        pb = step.lasting * (pb + step.reach * vb)
        vv = step.kept * step.kept * vv + step.speed * pace
        vb *= step.kept * step.lasting
        bb = step.lasting * step.lasting * bb + step.error
    }

    mutating func update(_ variance: Double) -> (position: Double, velocity: Double, bias: Double) {
        let p = pp + pb
        let v = pv + vb
        let b = pb + bb
        let gains = (position: p / variance, velocity: v / variance, bias: b / variance)
        pp -= gains.position * p
        pv -= gains.position * v
        pb -= gains.position * b
        vv -= gains.velocity * v
        vb -= gains.velocity * b
        bb -= gains.bias * b
        return gains
    }
}
