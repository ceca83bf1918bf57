import Synchronization

/// How many fixes became what since the start, for the metrics: numbers alone, of nobody in particular.
package final class FixCounts: Sendable {
    private let counts = Mutex<[String: Int]>([:])

    /// Counts what became of a batch.
    package func add(_ report: FixReport) {
        guard report.isMonitoring else { return }
        add("accepted", report.accepted)
        add("duplicate", report.duplicate)
        add("late", report.late)
        add("suspect", report.suspect)
        add("rejected", report.rejected.count)
    }

    /// Counts parts of apps' messages that were acknowledged though they are no position that can be evaluated.
    package func addIgnored(_ count: Int) { add("ignored", count) }

    /// Counts so many fixes that became one thing.
    package func add(_ outcome: String, _ count: Int) {
        if count > 0 { counts.withLock { $0[outcome, default: 0] += count } }
    }

    /// The numbers as Prometheus reads them.
    package var metrics: String {
        let counts = counts.withLock { $0 }
        let lines = counts.sorted { $0.key < $1.key }.map { "waymark_fixes_total{outcome=\"\($0.key)\"} \($0.value)\n" }
        return "# HELP waymark_fixes_total Fixes by what became of them since the start.\n"
            + "# TYPE waymark_fixes_total counter\n" + lines.joined()
    }
}
