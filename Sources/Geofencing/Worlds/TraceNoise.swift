import Geometry

/// Errors of a receiver that are added to the positions of a trace; the same noise gives the same errors.
public struct TraceNoise: Hashable, Sendable {
    /// The accepted values of ``deviation``, in metres.
    public static let deviations = 0.0...200.0
    /// The accepted values of ``outliers``.
    public static let shares = 0.0...0.5

    /// The standard deviation of the errors in metres per axis; zero for none.
    public let deviation: Double
    /// The probability that a fix begins a burst of up to three outliers, most of them more than 100 m off.
    public let outliers: Double
    /// Determines the errors.
    public let seed: UInt64

    /// Creates noise; values outside ``deviations`` and ``shares`` are clamped.
    public init(deviation: Double, outliers: Double, seed: UInt64) {
        let (metres, shares) = (TraceNoise.deviations, TraceNoise.shares)
        self.deviation = min(metres.upperBound, max(metres.lowerBound, deviation))
        self.outliers = min(shares.upperBound, max(shares.lowerBound, outliers))
        self.seed = seed
    }

    /// Returns the trace with errors added to its positions, and with the accuracies that a receiver would report.
    ///
    /// A position that already has an accuracy keeps its own error too: the two add up.
    public func added(to trace: [[Fix]]) -> [[Fix]] {
        guard deviation > 0 || outliers > 0 else { return trace }
        var receiver = Receiver(deviation: deviation, outliers: outliers, seed: SplitMix64.mix(seed))
        var last: Int64?
        return trace.map { fixes in
            fixes.map { fix in
                let seconds = last.map { max(0, Double(fix.time) - Double($0)) / 1_000 } ?? 0
                last = fix.time
                return TraceNoise.disturbed(fix, receiver.read(after: seconds))
            }
        }
    }

    private static func disturbed(_ fix: Fix, _ reading: Receiver.Reading) -> Fix {
        var fix = fix
        let moved = Plane(fix.coordinate).coordinate(reading.error)
        fix.coordinate = Coordinate(
            wrappingLatitude: (moved.latitude * 1e7).rounded() / 1e7,
            longitude: (moved.longitude * 1e7).rounded() / 1e7
        )
        // A negative accuracy marks the position as invalid, which it stays.
        if let stated = fix.accuracy, !(stated >= 0) { return fix }
        let accuracy = Math.hypotenuse(fix.accuracy ?? 0, reading.accuracy)
        if accuracy > 0 { fix.accuracy = (accuracy * 10).rounded() / 10 }
        return fix
    }
}
