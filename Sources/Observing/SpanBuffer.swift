public import CoreMetrics
import Synchronization

/// Finished spans that wait for export: a bounded number, so that a collector that is away costs no memory and no time.
///
/// What does not fit is dropped and counted in ``MetricDefinition/droppedSpans``.
public final class SpanBuffer: Sendable {
    private let capacity: Int
    private let spans = Mutex<[SpanRecord]>([])
    private let dropped: Counter

    /// Creates an empty buffer; `metrics` counts what is dropped.
    public init(capacity: Int = 4_096, metrics: any MetricsFactory) {
        self.capacity = max(1, capacity)
        dropped = Counter(label: MetricDefinition.droppedSpans.name, dimensions: [], factory: metrics)
        // So that the metric is there before anything is dropped.
        dropped.increment(by: 0)
    }

    /// The number of waiting spans.
    public var count: Int { spans.withLock { $0.count } }

    /// Keeps a span; one that does not fit is dropped.
    public func add(_ span: SpanRecord) {
        let fits = spans.withLock { spans in
            guard spans.count < capacity else { return false }
            spans.append(span)
            return true
        }
        if !fits { drop(1) }
    }

    /// Takes out at most `limit` spans, the first finished ones.
    public func take(_ limit: Int) -> [SpanRecord] {
        spans.withLock { spans in
            let taken = Array(spans.prefix(max(0, limit)))
            spans.removeFirst(taken.count)
            return taken
        }
    }

    /// Counts spans that are not exported.
    public func drop(_ count: Int) { dropped.increment(by: count) }
}
