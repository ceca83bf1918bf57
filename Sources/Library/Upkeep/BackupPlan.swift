import Formats
package import Storage
package import Stories

/// When the service makes backups by itself, where, and how many it keeps.
package struct BackupPlan: Sendable {
    /// The time before a failed backup is tried again, in milliseconds.
    package static let retry: Int64 = 10 * 60_000
    /// The shortest and the longest time between two backups, in milliseconds.
    package static let intervals: ClosedRange<Int64> = 60_000...(366 * 86_400_000)

    /// The folder.
    package let folder: String
    /// The time between two backups in milliseconds.
    package let every: Int64
    /// The number of backups that are kept.
    package let keep: Int
    /// Seals them.
    package let passphrase: [UInt8]?

    /// Creates a plan.
    package init(folder: String, every: Int64, keep: Int, passphrase: [UInt8]?) {
        self.folder = folder
        self.every = every
        self.keep = keep
        self.passphrase = passphrase
    }

    /// Returns whether a backup is due: `every` after the last, and ``retry`` after a try that failed.
    ///
    /// A clock that was set back makes it due: a backup too many does no harm, one that waits for years does.
    package func isDue(at now: Timestamp, last: Timestamp?, failed: Timestamp?) -> Bool {
        func isWithin(_ period: Int64, of start: Timestamp?) -> Bool {
            start.map { (0..<period).contains(now.milliseconds &- $0.milliseconds) } ?? false
        }
        return !isWithin(every, of: last) && !isWithin(min(every, BackupPlan.retry), of: failed)
    }

    /// Parses a time between two backups, such as `24h`, `90m` or `7d`, as milliseconds; `nil` if it is none or out of
    /// bounds.
    package static func interval(_ text: String) -> Int64? {
        let units: [Character: Int64] = ["m": 60_000, "h": 3_600_000, "d": 86_400_000]
        guard let unit = text.last.flatMap({ units[$0] }), text.utf8.count <= 8,
            text.dropLast().utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let count = Int64(text.dropLast())
        else { return nil }
        let (interval, overflows) = count.multipliedReportingOverflow(by: unit)
        return !overflows && intervals.contains(interval) ? interval : nil
    }
}

/// When operators are reminded to make a backup.
package enum BackupReminder: Sendable {
    /// The age of the last backup from which on they are, in milliseconds: 30 days.
    package static let age: Int64 = 30 * 86_400_000
    /// The number of bytes written since the last backup from which on they are: 500 MB.
    package static let bytes = 500_000_000

    /// Returns whether a backup is due.
    ///
    /// `since` is when the last one was made, or when this began to count if there is none. A time in the future, from a
    /// clock that was wrong, does not count.
    package static func isDue(at now: Timestamp, since: Timestamp?, written: Int) -> Bool {
        written >= bytes || since.map { now.milliseconds &- $0.milliseconds >= age } ?? false
    }
}

extension ReadinessWarning {
    /// The code of the reminder.
    package static let backupDueCode = "backup-due"

    /// Returns the reminder that the last backup is old, or that much was written since.
    package static func backupDue(last: Timestamp?, written: Int) -> ReadinessWarning {
        let when =
            last.map { "The last backup was made on \(RFC3339.format($0).prefix(10))" } ?? "No backup was ever made"
        let megabytes = written / 1_000_000
        return ReadinessWarning(
            code: backupDueCode,
            detail:
                "\(when), and \(megabytes) MB were written since. Run 'waymark backup FOLDER', also while the service "
                + "runs, or start it with --backup-to FOLDER."
        )
    }

    /// Keys are missing that the database was used with.
    package static func lostKeys(_ names: [StoreKeys.Name]) -> ReadinessWarning {
        let losses = names.map { "\($0.rawValue) (\($0.consequence))" }.joined(separator: ", ")
        return ReadinessWarning(
            code: "keys-lost",
            detail:
                "Keys were missing beside the database and were made anew: \(losses). Stop the service and put the folder "
                + "of keys back, or restore a sealed backup; otherwise remove keys.lost from that folder."
        )
    }

    /// Returns the warnings about backups and lost keys for the database of a library; reads three small files.
    package static func backups(of library: StoryLibrary) -> [ReadinessWarning] {
        backups(of: library.store.path, lost: library.store.lostKeys, at: library.now())
    }

    /// Returns the warnings about backups and lost keys for the database at a path.
    package static func backups(of path: String, lost: [StoreKeys.Name], at now: Timestamp) -> [ReadinessWarning] {
        let last = UpkeepRecord(.backup, besideDatabase: path)?.at
        let changes = UpkeepRecord(.changes, besideDatabase: path)
        let written = changes?.figures["bytes"] ?? 0
        var warnings = lost.isEmpty ? [] : [lostKeys(lost)]
        if BackupReminder.isDue(at: now, since: last ?? changes?.at, written: written) {
            warnings.append(backupDue(last: last, written: written))
        }
        return warnings
    }
}
