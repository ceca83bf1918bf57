/// A metric with its samples, as Prometheus reads it.
public struct MetricFamily: Hashable, Sendable {
    /// The kind of a metric.
    public enum Kind: String, Sendable {
        /// A number that only grows until the program is started again.
        case counter
        /// A number that grows and shrinks.
        case gauge
        /// Counts of observations by size, with their sum.
        case histogram
    }

    /// A label of a sample.
    public struct Label: Hashable, Comparable, Sendable {
        /// The name, of letters, digits and underscores.
        public let name: String
        /// The value.
        public let value: String

        /// Creates a label.
        public init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }

        /// Returns whether a label comes before another: by name, then by value.
        public static func < (one: Label, other: Label) -> Bool {
            (one.name, one.value) < (other.name, other.value)
        }
    }

    /// One number of a metric.
    public struct Sample: Hashable, Sendable {
        /// What follows the name of the metric: empty, `_bucket`, `_sum` or `_count`.
        public let suffix: String
        /// The labels, in the order in which they are written.
        public let labels: [Label]
        /// The number.
        public let value: Double

        /// Creates a sample.
        public init(_ value: Double, _ labels: [Label] = [], suffix: String = "") {
            (self.value, self.labels, self.suffix) = (value, labels, suffix)
        }
    }

    /// The name, such as `waymark_streams`.
    public let name: String
    /// The kind.
    public let kind: Kind
    /// A sentence that says what it counts.
    public let help: String
    /// The numbers.
    public var samples: [Sample]

    /// Creates a metric.
    public init(_ name: String, _ kind: Kind, _ help: String, _ samples: [Sample] = []) {
        (self.name, self.kind, self.help, self.samples) = (name, kind, help, samples)
    }

    /// Creates a gauge with one number.
    public static func gauge(_ name: String, _ value: Double, _ help: String) -> MetricFamily {
        MetricFamily(name, .gauge, help, [Sample(value)])
    }

    /// Creates a counter with one number.
    public static func counter(_ name: String, _ value: Double, _ help: String) -> MetricFamily {
        MetricFamily(name, .counter, help, [Sample(value)])
    }
}
