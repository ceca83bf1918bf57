import Geometry

/// How a track is expected to go on, and how its fixes are expected to err.
struct TrackModel {
    /// The variance in square metres per axis of the error that lasts.
    var lastingVariance: Double
    /// The variance of the part of the error that is new with this fix.
    var freshVariance: Double
    /// See ``FenceOptions``, where the same names stand.
    var lastingTime: Double
    var paceTime: Double
    var leastPace: Double
    var drivingPace: Double
    var drivingSpeed: Double
    var startsDriving: Double
    var drivesOn: Double
    var outliers: Double
    var leaps: Double

    /// The model for a fix of an accuracy in metres, by a device that usually has another.
    init(_ options: FenceOptions, accuracy: Double, usual: Double) {
        let deviation = Inside.deviation(accuracy: usual)
        let stated = Inside.deviation(accuracy: accuracy)
        lastingVariance = options.lastingShare * deviation * deviation
        // What a single fix states says little, unless it admits to be much worse.
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

    /// How likely it is to have found a vehicle meanwhile: hardly within half a minute, well within ten.
    func couldStart(_ seconds: Double) -> Double {
        let share = seconds / (seconds + 600)
        return share * share
    }

    /// The density of wrong fixes so far from where one was expected: half of them within 170 metres, some very far, and
    /// more widely where little was known.
    static func strangeness(_ misfit: Vector, expected variance: Double) -> Double {
        let reach = 10_000 + variance
        let ratio = 1 + misfit.dot(misfit) / reach
        return 1 / (2 * .pi * reach * ratio * ratio.squareRoot())
    }
}

/// What passing time does to a supposition.
struct TrackStep {
    let seconds: Double
    let kept: Double
    let reach: Double
    let lasting: Double
    let way: Double
    let mixed: Double
    let speed: Double
    let error: Double

    /// The exact moments of a velocity that is forgotten with time, and of the way it makes.
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

/// The covariances of position, velocity and lasting error, in metres and seconds: the axes are alike and independent.
struct TrackCovariance: Hashable, Sendable {
    var pp: Double
    var pv: Double
    var pb: Double
    var vv: Double
    var vb: Double
    var bb: Double

    /// The variance of position and lasting error together: of what is measured.
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
