import Library
import Storage

extension StoryLibrary {
    /// The metrics for operators: how often and for how long the writer was held, and the size of the log.
    var writerMetrics: String {
        let holds = WriterWork.allCases.map { ($0.rawValue, store.meter.longest($0)) }
        var lines = [
            "# HELP waymark_writer_hold_seconds_max The longest time one operation held the writer since the start.",
            "# TYPE waymark_writer_hold_seconds_max gauge",
        ]
        for (work, hold) in holds {
            lines.append("waymark_writer_hold_seconds_max{work=\"\(work)\"} \(hold.time / .seconds(1))")
        }
        lines.append("# HELP waymark_writer_holds_total The number of times the writer was held since the start.")
        lines.append("# TYPE waymark_writer_holds_total counter")
        for (work, hold) in holds { lines.append("waymark_writer_holds_total{work=\"\(work)\"} \(hold.count)") }
        lines.append("# HELP waymark_log_bytes The size of the log of the database.")
        lines.append("# TYPE waymark_log_bytes gauge")
        lines.append("waymark_log_bytes \(store.logSize)")
        return lines.joined(separator: "\n") + "\n"
    }
}
