import Library
import ArgumentParser
import Formats
import Foundation
import Storage
import Stories

/// `waymark restore`.
struct RestoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Puts a backup in the place of the database, once it is verified and opens.",
        discussion: """
            The service must be stopped. The backup is extracted beside the database and verified; what was erased, \
            deleted or revoked since, according to the list in the present folder of keys, is applied to it. Then it \
            takes the place of the present database, which is kept in a folder beside it.

            Example: waymark restore /mnt/backups/waymark-20260314-150926.waymark-backup
            """
    )

    @Argument(help: "The backup.")
    var file: String
    @Option(
        name: .customLong("after-old-copy"),
        help: """
            Only 'private': restore a backup although no list of erasures says what became narrower since, with every \
            story temporarily private and every channel off.
            """
    )
    var afterOldCopy: OldCopyStart?
    @OptionGroup var passphrase: PassphraseOptions
    @OptionGroup var database: DatabaseOptions

    func run() async throws {
        let secret = try passphrase.read()
        let report = BackupReport(quiet: database.quiet)
        let restoration = try await restoration(secret, report)
        for note in restoration.notes { Console.error(note) }
        let store = try StoryStore(
            path: restoration.staged,
            mode: .readWrite,
            acceptsOldCopy: true,
            logger: database.logger()
        )
        let lost = store.keys.madeAnew
        do {
            guard !store.isBeyondList || afterOldCopy == .private else { throw RestoreCommand.withoutList }
            let library = try await database.library(
                on: store,
                gazetteer: nil,
                additions: nil,
                retentionDays: StoryLibrary.defaultRetentionDays
            )
            // Opening it applied the list of erasures; no remains of what that removed are put in place.
            guard try await library.store.finishRestoring() else {
                throw CommandFailure.failed(
                    "What was erased since the backup could not be overwritten in the restored database. Nothing was replaced."
                )
            }
            try Interruption.check()
        } catch is Interruption.Ended {
            try? store.close()
            throw RestoreCommand.ended
        } catch {
            try? store.close()
            throw error
        }
        let hasLostLines = store.erasures.hasLostLines
        try store.close()
        let kept = try restoration.swap()
        Console.line(
            "\(restoration.database) was restored from \(file): "
                + "\(counted(restoration.contents.rows(of: "stories"), "story", "stories")) of "
                + "\(RFC3339.format(Timestamp(milliseconds: restoration.contents.createdAt)))."
        )
        if let kept {
            Console.remark(
                "The database before it is in \(kept). Erasures do not reach it: delete it once you do not need it.",
                quiet: database.quiet
            )
        }
        if !lost.isEmpty {
            Console.error(
                "There were no keys \(lost.map(\.rawValue).joined(separator: ", ")), neither in the backup nor beside the "
                    + "database, so new ones were made. Put the folder of keys back before anybody uses the service, or "
                    + "expect that channels, deleted stories, sign-ins and tokens of before do not work."
            )
        }
        if hasLostLines {
            Console.error(
                "The list of erasures lacks lines that the backup knew of: read erasures.lost in \(database.path).keys."
            )
        }
    }

    private static let withoutList = CommandFailure.failed(
        "Neither the backup nor the present folder of keys has the list of what became narrower since: private stories could "
            + "be public again. Nothing was replaced. Put the folder of keys back, restore a sealed backup, or give "
            + "--after-old-copy private: every story is then temporarily private until you release its account, and channels "
            + "are off until their users check them."
    )

    private static let ended = CommandFailure.failed("Ended; nothing was replaced and nothing was left behind.")

    private func restoration(_ secret: [UInt8]?, _ report: BackupReport) async throws -> Restoration {
        Interruption.listen()
        defer { report.end() }
        do {
            return try Restoration(
                of: file,
                passphrase: secret,
                to: database.path,
                now: SystemClock.now,
                progress: report.note
            )
        } catch is Interruption.Ended {
            throw RestoreCommand.ended
        }
    }
}
