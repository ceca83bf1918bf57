import Foundation
package import Logging
import ServiceLifecycle
package import Storage
package import Stories

/// Makes backups by plan, and counts what was written since the last one.
package struct BackupUpkeep: Service {
    private static let beat = Duration.seconds(60)

    private let library: StoryLibrary
    private let plan: BackupPlan?
    private let logger: Logger

    /// Creates the upkeep of a library; without a plan it only counts.
    package init(library: StoryLibrary, plan: BackupPlan?, logger: Logger) {
        self.library = library
        self.plan = plan
        self.logger = logger
    }

    package func run() async throws {
        var (count, failed) = (BackupCount(), Timestamp?.none)
        do {
            try await count.keep(of: library)
        } catch {
            logger.warning("what was written since the last backup cannot be counted", metadata: ["error": "\(error)"])
        }
        for warning in ReadinessWarning.backups(of: library) { logger.warning("\(warning.detail)") }
        failed = await backUpIfDue(failed: failed)
        for await _ in AsyncTimerSequence(every: BackupUpkeep.beat).cancelOnGracefulShutdown() {
            do {
                try await count.keep(of: library)
            } catch {
                logger.warning(
                    "what was written since the last backup cannot be counted",
                    metadata: ["error": "\(error)"]
                )
            }
            failed = await backUpIfDue(failed: failed)
        }
    }

    /// Makes a backup if the plan says so; returns the time of a try that failed.
    private func backUpIfDue(failed: Timestamp?) async -> Timestamp? {
        guard let plan else { return nil }
        let now = library.now()
        guard plan.isDue(at: now, last: BackupUpkeep.latest(in: plan.folder), failed: failed) else { return failed }
        do {
            let receipt = try await cancelWhenGracefulShutdown { try await backUp(plan, at: now) }
            logger.info(
                "a backup was made and verified",
                metadata: ["megabytes": "\(receipt.bytes / 1_000_000)", "stories": "\(receipt.stories)"]
            )
            return nil
        } catch is CancellationError {
            return now
        } catch {
            let minutes = min(plan.every, BackupPlan.retry) / 60_000
            logger.warning(
                "no backup could be made; trying again in \(minutes) minutes",
                metadata: ["error": "\(error)"]
            )
            return now
        }
    }

    /// Returns when the newest backup in a folder was made, by its name.
    package static func latest(in folder: String) -> Timestamp? {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.filter(BackupName.isBackup).max().flatMap(BackupName.time(of:))
    }
}

extension BackupUpkeep {
    /// Makes a backup, then removes those beyond what the plan keeps.
    package func backUp(_ plan: BackupPlan, at now: Timestamp) async throws -> Backup.Receipt {
        let order = Backup.Order(
            database: library.store.path,
            destination: plan.folder,
            passphrase: plan.passphrase,
            program: Release.version,
            now: now
        )
        return try await BackgroundThread.run("waymark.backup") { cancellation in
            let receipt = try Backup.make(order) { _, _, _ in try cancellation.check() }
            // Only now that there is a verified one more.
            let names = (try? FileManager.default.contentsOfDirectory(atPath: plan.folder)) ?? []
            for name in BackupName.excess(of: names, keeping: plan.keep) where !receipt.file.hasSuffix("/" + name) {
                try? FileManager.default.removeItem(atPath: plan.folder + "/" + name)
            }
            return receipt
        }
    }
}

/// Counts the bytes written since the last backup, across starts.
private struct BackupCount {
    /// What the writer had written when this looked last.
    private var seen = 0
    /// What was written since the count was stored.
    private var fresh = 0
    /// The last backup when this looked last.
    private var backup: Timestamp?

    mutating func keep(of library: StoryLibrary) async throws {
        let path = library.store.path
        guard library.store.isWritable else { return }
        let written = try await library.store.bytesWritten()
        let last = UpkeepRecord(.backup, besideDatabase: path)?.at
        let stored = UpkeepRecord(.changes, besideDatabase: path)
        let isFirst = seen == 0 && backup == nil
        // A backup that was made while no service ran ends the count too.
        let isReset = isFirst ? last.map { $0 > (stored?.at ?? $0) } ?? false : last != backup
        fresh += written - seen
        (seen, backup) = (written, last)
        let total = (isReset ? 0 : stored?.figures["bytes"] ?? 0) + fresh
        guard stored == nil || isReset || fresh >= 1 << 20 else { return }
        // Without a backup, the age counts from the first of these.
        let at = isReset || stored == nil ? library.now() : stored?.at ?? library.now()
        try UpkeepRecord(.changes, at: at, outcome: "counted", figures: ["bytes": total]).write(besideDatabase: path)
        fresh = 0
    }
}
