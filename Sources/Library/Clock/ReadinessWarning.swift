/// A problem that an operator should look at although the service is ready.
package struct ReadinessWarning: Hashable, Sendable {
    /// An identifier for programs.
    package let code: String
    /// The problem and the remedy, for people.
    package let detail: String

    /// Creates a value from its parts.
    package init(code: String, detail: String) {
        self.code = code
        self.detail = detail
    }

    /// Some channels' addresses can no longer be read.
    package static let lostChannelKeys = ReadinessWarning(
        code: "channel-keys-lost",
        detail: "Channels are switched off, because the key to their addresses is not beside the database. "
            + "Stop the service and put the folder of keys back, or have people add these channels again."
    )

    /// Deleted stories can no longer be restored.
    package static let lostSealingKey = ReadinessWarning(
        code: "sealing-key-lost",
        detail: "Deleted stories that are kept for the retention cannot be restored, because the key they were sealed "
            + "under is not beside the database. Stop the service and put the folder of keys back. Without a backup of "
            + "it they stay lost; this ends when their retention does."
    )

    /// The list of erasures has lost lines.
    package static let lostErasures = ReadinessWarning(
        code: "erasures-lost",
        detail:
            "The list of erasures in the folder of keys has lost lines: older copies of the database put back could "
            + "bring back what was erased. Put the list back from a backup or destroy older copies, as erasures.lost in "
            + "that folder says, and remove that file."
    )
}

extension ServiceClock.Condition {
    /// The warnings about the clock.
    package var warnings: [ReadinessWarning] {
        var warnings: [ReadinessWarning] = []
        if deviation != 0 {
            let detail =
                "The clock of this machine jumped by \(deviation / 1_000) s. The service goes by its own until it has stayed "
                + "there for half a minute. Check the clock and its synchronisation."
            warnings.append(.init(code: "clock-jumped", detail: detail))
        } else if let jump = believedJump {
            let detail =
                "The clock of this machine was moved by \(jump / 1_000) s within the last day; what waits was moved with it. "
                + "Check the clock and its synchronisation."
            warnings.append(.init(code: "clock-moved", detail: detail))
        }
        if unconfirmed > 0 {
            let hours = (unconfirmed + 3_599_999) / 3_600_000
            let detail =
                "The clock of this machine is far ahead of when the service ran last. Nothing is destroyed for its age "
                + "until the service has run for another \(hours) h at this time. Check the clock."
            warnings.append(.init(code: "clock-unconfirmed", detail: detail))
        }
        return warnings
    }
}
