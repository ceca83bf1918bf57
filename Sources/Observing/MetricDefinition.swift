/// A metric that the registry keeps: what is not defined here is not counted.
public struct MetricDefinition: Hashable, Sendable {
    /// The name.
    public let name: String
    /// The kind.
    public let kind: MetricFamily.Kind
    /// A sentence that says what it counts.
    public let help: String
    /// The upper bounds of a histogram.
    public let bounds: [Double]

    /// Creates a definition.
    public init(
        _ name: String,
        _ kind: MetricFamily.Kind,
        _ help: String,
        bounds: [Double] = HistogramCounts.quick
    ) {
        (self.name, self.kind, self.help, self.bounds) = (name, kind, help, bounds)
    }

    /// The number of answers.
    public static let requests = MetricDefinition(
        "waymark_http_requests_total",
        .counter,
        "Answers since the start, by method, route and class of status."
    )
    /// The time of answers.
    public static let answerTime = MetricDefinition(
        "waymark_http_request_seconds",
        .histogram,
        "The time from a request's head to its answer's head, by route and class of status."
    )
    /// Spans that were not exported.
    public static let droppedSpans = MetricDefinition(
        "waymark_spans_dropped_total",
        .counter,
        "Spans that were dropped because the collector is slow or away."
    )

    /// Whether the broker is connected.
    public static let brokerConnected = MetricDefinition(
        "waymark_mqtt_connected",
        .gauge,
        "Whether the operator's broker (MQTT) is connected."
    )
    /// The messages that the broker brought.
    public static let brokerMessages = MetricDefinition(
        "waymark_mqtt_messages_total",
        .counter,
        "Messages that the operator's broker (MQTT) brought since the start, by outcome."
    )

    /// All metrics that are counted where things happen; the others are read when they are asked for.
    public static let all = [requests, answerTime, droppedSpans, brokerConnected, brokerMessages]
}
