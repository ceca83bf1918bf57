/// A problem that an operator should look at, although the service is ready or because it is not.
package struct ReadinessWarning: Hashable, Sendable {
    /// An identifier for programs.
    package let code: String
    /// The problem and the remedy, for people.
    package let detail: String
    /// Whether the service is not ready because of it: `/readyz` answers 503.
    package let preventsReadiness: Bool

    /// Creates a value from its parts.
    package init(code: String, detail: String, preventsReadiness: Bool = false) {
        self.code = code
        self.detail = detail
        self.preventsReadiness = preventsReadiness
    }

    /// Nothing is stored until a restart, because the disk failed.
    package static let stoppedWriting = ReadinessWarning(
        code: "writing-stopped",
        detail: "The disk failed, so nothing is stored until the service is restarted; reading still works. Check the "
            + "disk and the log, then restart the service. Changes that were pending are then either stored or not.",
        preventsReadiness: true
    )

    /// The database is on a disk, or in a file, that cannot be written.
    package static let readOnly = ReadinessWarning(
        code: "read-only",
        detail: "The database cannot be written, so changes are rejected (503) and nothing is sent; reading works. "
            + "Make its disk and file writable, then restart the service.",
        preventsReadiness: true
    )

    /// Some channels' addresses can no longer be read.
    package static let lostChannelKeys = ReadinessWarning(
        code: "channel-keys-lost",
        detail: "Channels were switched off because the key that seals their addresses is missing from the folder of "
            + "keys beside the database. Stop the service and restore that folder, or ask users to remove these "
            + "channels and add them again."
    )

    /// Deleted stories can no longer be restored.
    package static let lostSealingKey = ReadinessWarning(
        code: "sealing-key-lost",
        detail: "Deleted stories in retention cannot be restored because the key that sealed them is missing from the "
            + "folder of keys beside the database. Stop the service and restore that folder. Without a backup of it, "
            + "they remain lost, and this warning ends when their retention does."
    )

    /// The list of erasures has lost lines.
    package static let lostErasures = ReadinessWarning(
        code: "erasures-lost",
        detail:
            "The list of erasures in the folder of keys has lost lines: restoring an older copy of the database could "
            + "bring back erased data. Restore the list from a backup or destroy older copies, as described in "
            + "erasures.lost in that folder, and remove that file."
    )
}

extension ServiceClock.Condition {
    /// The warnings about the clock.
    package var warnings: [ReadinessWarning] {
        var warnings: [ReadinessWarning] = []
        if deviation != 0 {
            let detail =
                "The clock of this machine jumped by \(deviation / 1_000) s. The service uses its own time until the "
                + "clock has been stable for half a minute. Check the clock and its synchronisation."
            warnings.append(.init(code: "clock-jumped", detail: detail))
        } else if let jump = believedJump {
            let detail =
                "The clock of this machine was changed by \(jump / 1_000) s within the last day; all due times "
                + "were moved with it. "
                + "Check the clock and its synchronisation."
            warnings.append(.init(code: "clock-moved", detail: detail))
        }
        if unconfirmed > 0 {
            let hours = (unconfirmed + 3_599_999) / 3_600_000
            let detail =
                "The clock of this machine is far ahead of the service's last run. Nothing is deleted because of its "
                + "age until the service has run with this time for another \(hours) h. Check the clock."
            warnings.append(.init(code: "clock-unconfirmed", detail: detail))
        }
        return warnings
    }
}
