import Geometry

/// The probability of being inside a circle.
enum Inside {
    /// The 68 % radius of a circular normal distribution, in standard deviations per axis: √(-2 ln 0.32).
    static let deviationsPerAccuracy = 1.51

    /// Returns the standard deviation per axis that corresponds to an accuracy, the 68 % radius; both in metres.
    static func deviation(accuracy: Double) -> Double { accuracy / deviationsPerAccuracy }

    /// Returns the probability that a position estimated at `distance` from the centre, with the standard deviation
    /// `deviation` per axis, lies within `radius`; all in metres.
    ///
    /// Φ((r - √(d² + σ²)) / σ), within 0.06 of the exact integral for σ ≤ r; in steps of 0.0001.
    static func probability(distance: Double, radius: Double, deviation: Double) -> Double {
        (unrounded(distance: distance, radius: radius, deviation: deviation) * 10_000).rounded() / 10_000
    }

    /// Returns the probability of being inside without rounding; see ``probability(distance:radius:deviation:)``.
    static func unrounded(distance: Double, radius: Double, deviation: Double) -> Double {
        let mean = (distance * distance + deviation * deviation).squareRoot()
        let ratio = (radius - mean) / deviation
        // Beyond this, rounding to 0.0001 gives 0 or 1.
        if abs(ratio) > 6 { return ratio > 0 ? 1 : 0 }
        return Math.normalDistribution(ratio)
    }
}
