package import Observing
import Synchronization

/// The numbers of fixes by outcome since the start, for the metrics, without any relation to users.
package final class FixCounts: Sendable {
    private struct State: Sendable {
        var outcomes: [String: Int] = [:]
        var times = HistogramCounts()
    }

    private let state = Mutex(State())

    /// Counts the outcomes of a batch.
    package func add(_ report: FixReport) {
        guard report.isMonitoring else { return }
        add("accepted", report.accepted)
        add("duplicate", report.duplicate)
        add("late", report.late)
        add("suspect", report.suspect)
        add("rejected", report.rejected.count)
    }

    /// Counts the time that a batch took.
    func add(taking time: Duration) { state.withLock { $0.times.observe(time / .seconds(1)) } }

    /// Counts parts of apps' messages that were acknowledged but contain no position to evaluate.
    package func addIgnored(_ count: Int) { add("ignored", count) }

    /// Adds to the number of fixes with an outcome.
    package func add(_ outcome: String, _ count: Int) {
        if count > 0 { state.withLock { $0.outcomes[outcome, default: 0] += count } }
    }

    /// The numbers by outcome.
    package var metrics: [MetricFamily] {
        let outcomes = state.withLock(\.outcomes).sorted { $0.key < $1.key }
        let samples = outcomes.map { MetricFamily.Sample(Double($0.value), [.init("outcome", $0.key)]) }
        return [MetricFamily("waymark_fixes_total", .counter, "Fixes by outcome since the start.", samples)]
    }

    /// The times to evaluate and store batches.
    package var times: MetricFamily {
        MetricFamily(
            "waymark_fix_batch_seconds",
            .histogram,
            "The time to evaluate and store a batch of fixes.",
            state.withLock(\.times).samples([])
        )
    }
}
