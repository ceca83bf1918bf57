import CoreMetrics

/// Counts what the operator's broker (MQTT) brings, and whether it is connected.
public struct BrokerMetrics: Sendable {
    /// What became of a message.
    public enum Outcome: String, CaseIterable, Hashable, Sendable {
        /// Its positions were evaluated.
        case taken
        /// It holds no position that can be evaluated.
        case ignored
        /// Its topic holds no device key that is valid at present.
        case refused
        /// Its user sends more than the limit of requests allows.
        case limited
        /// It could not be stored and was handed back to the broker.
        case handedBack = "handed_back"
        /// It could not be stored in many attempts.
        case givenUp = "given_up"
    }

    private let registry: MetricRegistry?

    /// Creates counts in a registry; without one nothing is counted.
    public init(_ registry: MetricRegistry?) { self.registry = registry }

    /// Notes whether the broker is connected.
    public func note(isConnected: Bool) {
        guard let registry else { return }
        Gauge(label: MetricDefinition.brokerConnected.name, dimensions: [], factory: registry)
            .record(isConnected ? 1 : 0)
    }

    /// Counts a message.
    public func count(_ outcome: Outcome) {
        guard let registry else { return }
        let labels = [("outcome", outcome.rawValue)]
        Counter(label: MetricDefinition.brokerMessages.name, dimensions: labels, factory: registry).increment()
    }
}
