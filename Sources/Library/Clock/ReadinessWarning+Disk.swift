package import Storage

extension ReadinessWarning {
    /// The size of the log above which the operator is warned, in bytes.
    ///
    /// The log is truncated at 16 MiB unless a reader prevents it.
    package static let longLogBytes = 64 << 20

    /// Returns the warning that the disk of the database is full, or has no room for the whole reserve.
    package static func shortage(_ shortage: DiskShortage) -> ReadinessWarning {
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

    /// Returns the warning that the log is long because another program keeps reading.
    package static func longLog(bytes: Int) -> ReadinessWarning {
        ReadinessWarning(
            code: "log-long",
            detail:
                "The log of the database has \(bytes >> 20) MB, because another program has been reading the database "
                + "for long. Nothing waits for it, but the log grows until it ends. End that program, or let it read a copy."
        )
    }
}
