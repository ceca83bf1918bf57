package import Storage

extension ReadinessWarning {
    /// The size of the log above which the operator is warned, in bytes.
    ///
    /// The log is truncated at 16 MiB unless a reader prevents it.
    package static let longLogBytes = 64 << 20

    /// Returns the warning that the disk of the database is full, has no room for the whole reserve, or has less free
    /// space than the operator's limits.
    package static func shortage(_ shortage: DiskShortage) -> ReadinessWarning {
        switch shortage {
        case .refusing:
            ReadinessWarning(
                code: "disk-full",
                detail:
                    "The database's disk is full, so new data is rejected (507). Withdrawals, deletions and erasures "
                    + "use the reserve while it lasts. Free some space; the service then continues without a restart.",
                preventsReadiness: true
            )
        case .refusingEarly(let free, let limit):
            ReadinessWarning(
                code: "disk-short",
                detail:
                    "The database's disk has \(megabytes(free)) MB free, less than --refuse-below (\(megabytes(limit)) "
                    + "MB), so new data is rejected (507). Withdrawals, deletions, revocations and erasures still work. Free "
                    + "some space; the service then continues without a restart.",
                preventsReadiness: true
            )
        case .reserveUsed:
            ReadinessWarning(
                code: "disk-reserve-used",
                detail: "The database's disk has too little space for the full reserve, which withdrawals, deletions "
                    + "and erasures use when the disk is full. Free at least 12 MB; the reserve is restored within "
                    + "a minute."
            )
        case .low(let free, let limit):
            ReadinessWarning(
                code: "disk-low",
                detail:
                    "The database's disk has \(megabytes(free)) MB free, less than --warn-below (\(megabytes(limit)) MB). "
                    + "Free some space before new data is rejected."
            )
        }
    }

    private static func megabytes(_ bytes: Int) -> Int { bytes / 1_000_000 }

    /// Returns the warning that the log is long because another program keeps reading.
    package static func longLog(bytes: Int) -> ReadinessWarning {
        ReadinessWarning(
            code: "log-long",
            detail:
                "The database's log has grown to \(bytes >> 20) MB because another program has been reading the "
                + "database for a long time. Nothing is blocked, but the log keeps growing until that read ends. "
                + "End that program, or let it read a copy."
        )
    }
}
