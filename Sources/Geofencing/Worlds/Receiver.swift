import Geometry

/// The errors of a receiver: slow drift with white noise and occasional bursts of outliers.
struct Receiver {
    private var drift = SIMD2<Double>.zero
    private let quality: Quality
    private var random: SplitMix64
    private var burst = 0
    private var network = SIMD2<Double>.zero
    private var isInside = false

    /// One reported position: the error in metres and the reported accuracy.
    struct Reading {
        var error: SIMD2<Double>
        var accuracy: Double
    }

    private struct Quality {
        /// The standard deviation of the drift in metres per axis.
        let drift: Double
        /// How long the drift persists, in seconds.
        let memory: Double
        /// The standard deviation of the white noise in metres per axis.
        let white: Double
        /// The probability that a burst of outliers begins.
        let outliers: Double
        /// The probability that the accuracy reported with an outlier equals its error.
        let honesty: Double
    }

    init(_ sky: SkyView, seed: UInt64) {
        random = SplitMix64(seed: seed)
        quality =
            switch sky {
            case .open: Quality(drift: 3.5, memory: 60, white: 1, outliers: 0, honesty: 0.9)
            case .urban: Quality(drift: 9, memory: 90, white: 3, outliers: 0.012, honesty: 0.6)
            case .canyon: Quality(drift: 18, memory: 120, white: 6, outliers: 0.03, honesty: 0.5)
            }
        drift = SIMD2(random.normal(), random.normal()) * quality.drift
    }

    /// Creates a receiver between buildings whose errors have a standard deviation of `deviation` metres per axis, nine
    /// tenths of the variance lasting for a minute and a half, and in which a share of the reports begins a burst of
    /// `outliers`.
    init(deviation: Double, outliers: Double, seed: UInt64) {
        random = SplitMix64(seed: seed)
        quality = Quality(
            drift: deviation * 0.9.squareRoot(),
            memory: 90,
            white: deviation * 0.1.squareRoot(),
            outliers: outliers,
            honesty: 0.6
        )
        drift = SIMD2(random.normal(), random.normal()) * quality.drift
    }

    /// Returns the report at the given number of seconds after the last one.
    mutating func read(after seconds: Double, indoors: Bool = false) -> Reading {
        let kept = Math.exponential(-seconds / quality.memory)
        let fresh = (1 - kept * kept).squareRoot() * quality.drift
        drift = drift * kept + SIMD2(random.normal(), random.normal()) * fresh
        if indoors { return networkReading() }
        isInside = false
        if burst == 0, random.unit() < quality.outliers { burst = 1 + Int(random.next() % 3) }
        guard burst == 0 else {
            burst -= 1
            return outlier()
        }
        let white = SIMD2(random.normal(), random.normal()) * quality.white
        return Reading(error: drift + white, accuracy: statedAccuracy())
    }

    private mutating func statedAccuracy() -> Double {
        let radius = 1.51 * Math.hypotenuse(quality.drift, quality.white)
        return radius * Math.exponential(0.35 * random.normal())
    }

    private mutating func outlier() -> Reading {
        let distance = 120 * Math.exponential(0.7 * random.normal())
        let angle = 2 * Double.pi * random.unit()
        let error = SIMD2(Math.sine(angle), Math.cosine(angle)) * distance
        let isHonest = random.unit() < quality.honesty
        return Reading(error: error, accuracy: isHonest ? distance : statedAccuracy())
    }

    /// Returns a reading derived from nearby networks: the same error throughout a stay indoors, except for slight
    /// noise and an occasional change.
    private mutating func networkReading() -> Reading {
        if !isInside || random.unit() < 0.02 { network = SIMD2(random.normal(), random.normal()) * 22 }
        isInside = true
        return Reading(
            error: network + SIMD2(random.normal(), random.normal()) * 2,
            accuracy: random.unit() < 0.3 ? 65 : random.number(20, 60)
        )
    }
}
