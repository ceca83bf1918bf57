import CoreMetrics
package import HTTPTypes
package import Observing

/// Counts answers and their times, by route and never by path, caller or address.
package struct HTTPMetrics: Sendable {
    private let registry: MetricRegistry

    /// The methods that are counted by name; callers can make up others.
    private static let methods: Set<String> = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]

    /// Creates counts in a registry.
    package init(_ registry: MetricRegistry) { self.registry = registry }

    /// Counts an answer; `route` is the template of its path.
    package func note(_ method: HTTPRequest.Method, _ route: String?, status: Int, after time: Duration) {
        let method = HTTPMetrics.methods.contains(method.rawValue) ? method.rawValue : "other"
        let labels = [("route", route ?? "none"), ("status", "\(status / 100)xx")]
        Counter(
            label: MetricDefinition.requests.name,
            dimensions: [("method", method)] + labels,
            factory: registry
        )
        .increment()
        CoreMetrics.Timer(label: MetricDefinition.answerTime.name, dimensions: labels, factory: registry)
            .recordNanoseconds(Int64(time / .nanoseconds(1)))
    }
}
