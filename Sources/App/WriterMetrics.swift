import Storage

extension StoryLibrary {
    /// Warn the operator when the log is larger than this, in bytes: it is cut at 16 MiB unless a reader keeps it.
    static let longLog = 64 << 20

    /// What holds the writer and how long the log is, for operators.
    var writerMetrics: String {
        let holds = WriterWork.allCases.map { ($0.rawValue, store.meter.longest($0)) }
        var lines = [
            "# HELP waymark_writer_hold_seconds_max The longest that one piece of work held the writer since the start.",
            "# TYPE waymark_writer_hold_seconds_max gauge",
        ]
        for (work, hold) in holds {
            lines.append("waymark_writer_hold_seconds_max{work=\"\(work)\"} \(hold.time / .seconds(1))")
        }
        lines.append("# HELP waymark_writer_holds_total How often the writer was held since the start.")
        lines.append("# TYPE waymark_writer_holds_total counter")
        for (work, hold) in holds { lines.append("waymark_writer_holds_total{work=\"\(work)\"} \(hold.count)") }
        lines.append("# HELP waymark_log_bytes The size of the log of the database.")
        lines.append("# TYPE waymark_log_bytes gauge")
        lines.append("waymark_log_bytes \(store.logSize)")
        return lines.joined(separator: "\n") + "\n"
    }
}

extension ReadinessWarning {
    /// There is no room on the disk of the database, for anything or for the reserve.
    static func shortage(_ shortage: DiskShortage) -> ReadinessWarning {
        switch shortage {
        case .refusing:
            ReadinessWarning(
                code: "disk-full",
                detail:
                    "The disk of the database is full: what people store is refused (507). Withdrawals, deletions and "
                    + "erasures use the reserve as long as it lasts. Free some space; it goes on without a restart."
            )
        case .reserveUsed:
            ReadinessWarning(
                code: "disk-reserve-used",
                detail: "The disk of the database has so little room that the reserve for withdrawals, deletions and "
                    + "erasures on a full disk is not whole. Free at least 12 MB; it is made whole within a minute."
            )
        }
    }

    /// The log is long, because somebody reads in it.
    static func longLog(bytes: Int) -> ReadinessWarning {
        ReadinessWarning(
            code: "log-long",
            detail:
                "The log of the database has \(bytes >> 20) MB, because another program has been reading the database "
                + "for long. Nothing waits for it, but the log grows until it ends. End that program, or let it read a copy."
        )
    }
}
