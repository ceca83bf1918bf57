import Synchronization

/// The numbers of fixes by outcome since the start, for the metrics, without any relation to users.
package final class FixCounts: Sendable {
    private let counts = Mutex<[String: Int]>([:])

    /// Counts the outcomes of a batch.
    package func add(_ report: FixReport) {
        guard report.isMonitoring else { return }
        add("accepted", report.accepted)
        add("duplicate", report.duplicate)
        add("late", report.late)
        add("suspect", report.suspect)
        add("rejected", report.rejected.count)
    }

    /// Counts parts of apps' messages that were acknowledged but contain no position to evaluate.
    package func addIgnored(_ count: Int) { add("ignored", count) }

    /// Adds to the number of fixes with an outcome.
    package func add(_ outcome: String, _ count: Int) {
        if count > 0 { counts.withLock { $0[outcome, default: 0] += count } }
    }

    /// The numbers in the text format of Prometheus.
    package var metrics: String {
        let counts = counts.withLock { $0 }
        let lines = counts.sorted { $0.key < $1.key }.map { "waymark_fixes_total{outcome=\"\($0.key)\"} \($0.value)\n" }
        return "# HELP waymark_fixes_total Fixes by outcome since the start.\n"
            + "# TYPE waymark_fixes_total counter\n" + lines.joined()
    }
}
