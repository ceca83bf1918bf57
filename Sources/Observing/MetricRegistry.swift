public import CoreMetrics
import Synchronization

/// Keeps the metrics of one service for Prometheus; a backend of swift-metrics.
///
/// It keeps what is defined and nothing else, and a bounded number of series of each metric, so that no label can fill
/// the memory. Labels name kinds of things, never people, places or addresses.
public final class MetricRegistry: MetricsFactory, Sendable {
    private struct Series: Sendable {
        var numbers: [[MetricFamily.Label]: Double] = [:]
        var histograms: [[MetricFamily.Label]: HistogramCounts] = [:]

        func holds(_ labels: [MetricFamily.Label]) -> Bool { numbers[labels] != nil || histograms[labels] != nil }
    }

    /// The maximum number of series of one metric.
    public static let mostSeries = 2_000

    private let definitions: [String: MetricDefinition]
    private let series = Mutex<[String: Series]>([:])

    /// Creates a registry for the defined metrics.
    public init(_ definitions: [MetricDefinition] = MetricDefinition.all) {
        self.definitions = Dictionary(definitions.map { ($0.name, $0) }) { first, _ in first }
    }

    /// The metrics with at least one series, by name.
    public var families: [MetricFamily] {
        let all = series.withLock { $0 }
        return definitions.values.sorted { $0.name < $1.name }
            .compactMap { definition in
                guard let series = all[definition.name] else { return nil }
                let numbers = series.numbers.sorted { MetricRegistry.isBefore($0.key, $1.key) }
                    .map { MetricFamily.Sample($0.value, $0.key) }
                let histograms = series.histograms.sorted { MetricRegistry.isBefore($0.key, $1.key) }
                    .flatMap { $0.value.samples($0.key) }
                return MetricFamily(definition.name, definition.kind, definition.help, numbers + histograms)
            }
    }

    private static func isBefore(_ one: [MetricFamily.Label], _ other: [MetricFamily.Label]) -> Bool {
        one.lexicographicallyPrecedes(other)
    }

    /// Changes a number; `change` gets 0 for one that is new.
    fileprivate func change(_ key: MetricKey, _ change: (Double) -> Double) {
        update(key) { $0.numbers[key.labels] = change($0.numbers[key.labels] ?? 0) }
    }

    /// Counts an observation.
    fileprivate func observe(_ key: MetricKey, _ value: Double) {
        guard let bounds = definitions[key.name]?.bounds else { return }
        update(key) { $0.histograms[key.labels, default: HistogramCounts(bounds: bounds)].observe(value) }
    }

    private func update(_ key: MetricKey, _ body: (inout Series) -> Void) {
        series.withLock { all in
            var series = all[key.name] ?? Series()
            let count = series.numbers.count + series.histograms.count
            guard series.holds(key.labels) || count < MetricRegistry.mostSeries else { return }
            all[key.name] = nil
            body(&series)
            all[key.name] = series
        }
    }

    /// Returns where a metric is kept; `nil` if none of that kind is defined.
    private func key(_ label: String, _ dimensions: [(String, String)], _ kinds: MetricFamily.Kind...) -> MetricKey? {
        guard let definition = definitions[label], kinds.contains(definition.kind) else { return nil }
        return MetricKey(name: label, labels: dimensions.map { .init($0.0, $0.1) }.sorted(), kind: definition.kind)
    }

    /// Returns what counts a counter.
    public func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        MetricHandle(self, key(label, dimensions, .counter))
    }

    /// Returns what counts a counter.
    public func makeFloatingPointCounter(
        label: String,
        dimensions: [(String, String)]
    ) -> any FloatingPointCounterHandler {
        MetricHandle(self, key(label, dimensions, .counter))
    }

    /// Returns what sets a gauge.
    public func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        MetricHandle(self, key(label, dimensions, .gauge))
    }

    /// Returns what sets a gauge or fills a histogram.
    public func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        MetricHandle(self, aggregate ? key(label, dimensions, .histogram) : key(label, dimensions, .gauge))
    }

    /// Returns what fills a histogram of seconds.
    public func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        MetricHandle(self, key(label, dimensions, .histogram))
    }

    /// Does nothing: series stay until the program ends, as Prometheus expects.
    public func destroyCounter(_ handler: any CounterHandler) {}
    /// Does nothing: series stay until the program ends, as Prometheus expects.
    public func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) {}
    /// Does nothing: series stay until the program ends, as Prometheus expects.
    public func destroyMeter(_ handler: any MeterHandler) {}
    /// Does nothing: series stay until the program ends, as Prometheus expects.
    public func destroyRecorder(_ handler: any RecorderHandler) {}
    /// Does nothing: series stay until the program ends, as Prometheus expects.
    public func destroyTimer(_ handler: any TimerHandler) {}
}

/// Where the registry keeps a series.
private struct MetricKey: Sendable {
    let name: String
    let labels: [MetricFamily.Label]
    let kind: MetricFamily.Kind
}

/// One series of a registry, as swift-metrics uses it; without a key it counts nothing.
private final class MetricHandle: CounterHandler, FloatingPointCounterHandler, MeterHandler, RecorderHandler,
    TimerHandler
{
    private let registry: MetricRegistry
    private let key: MetricKey?

    init(_ registry: MetricRegistry, _ key: MetricKey?) { (self.registry, self.key) = (registry, key) }

    private func note(_ value: Double) {
        guard let key else { return }
        if key.kind == .histogram { registry.observe(key, value) } else { registry.change(key) { _ in value } }
    }

    private func add(_ value: Double) {
        if let key { registry.change(key) { $0 + value } }
    }

    func increment(by amount: Int64) { add(Double(amount)) }
    func increment(by amount: Double) { add(amount) }
    func decrement(by amount: Double) { add(-amount) }
    func reset() { if let key { registry.change(key) { _ in 0 } } }
    func set(_ value: Int64) { note(Double(value)) }
    func set(_ value: Double) { note(value) }
    func record(_ value: Int64) { note(Double(value)) }
    func record(_ value: Double) { note(value) }
    func recordNanoseconds(_ duration: Int64) { note(Double(duration) / 1e9) }
}
