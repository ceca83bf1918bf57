/// Counts of observations by size.
public struct HistogramCounts: Hashable, Sendable {
    /// Upper bounds in seconds for answers and commits: from a millisecond to ten seconds.
    public static let quick = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
    /// Upper bounds in seconds for deliveries: from a quarter of a second to a day.
    public static let patient = [0.25, 1, 2.5, 5, 10, 30, 60, 300, 1_800, 7_200, 86_400]

    /// The upper bounds, in ascending order.
    public let bounds: [Double]
    /// The number of observations up to each bound and above the one before it; the last is for what is larger.
    private var counts: [Int]
    /// The sum of all observations.
    public private(set) var sum = 0.0

    /// Creates counts that are all zero.
    public init(bounds: [Double] = HistogramCounts.quick) {
        self.bounds = bounds
        counts = Array(repeating: 0, count: bounds.count + 1)
    }

    /// The number of observations.
    public var count: Int { counts.reduce(0, +) }

    /// Counts an observation; one that is not a number is left out.
    public mutating func observe(_ value: Double) {
        guard value.isFinite else { return }
        counts[bounds.firstIndex { value <= $0 } ?? bounds.count] += 1
        sum += value
    }

    /// Returns the samples that Prometheus expects of a histogram.
    public func samples(_ labels: [MetricFamily.Label]) -> [MetricFamily.Sample] {
        var (total, samples) = (0, [MetricFamily.Sample]())
        for (index, count) in counts.enumerated() {
            total += count
            let bound = index < bounds.count ? PrometheusText.number(bounds[index]) : "+Inf"
            samples.append(.init(Double(total), labels + [.init("le", bound)], suffix: "_bucket"))
        }
        return samples + [.init(sum, labels, suffix: "_sum"), .init(Double(total), labels, suffix: "_count")]
    }
}
