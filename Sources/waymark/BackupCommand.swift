import Library
import ArgumentParser
import Formats
import Foundation
import Storage
import Stories

/// `waymark backup`.
struct BackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Makes a backup in one file, also while the service runs, and verifies backups.",
        discussion: """
            waymark backup FOLDER writes FOLDER/waymark-YYYYMMDD-HHMMSS.waymark-backup; waymark backup FILE writes FILE.
            With --passphrase-file the backup is sealed and contains the keys beside the database. Without it, the keys \
            are left out: keep a copy of the folder of keys elsewhere.

            Files that the operator added to gazetteer and map are not in it: add them again after a restore elsewhere.

            Example: waymark backup /mnt/backups --passphrase-file /etc/waymark/passphrase
            """,
        subcommands: [Make.self, Verify.self],
        defaultSubcommand: Make.self
    )

    /// `waymark backup make`, the default.
    struct Make: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Makes a backup (the default).",
            discussion: "Example: waymark backup /mnt/backups"
        )

        @Argument(help: "A folder, or a file that does not exist yet.")
        var destination: String
        @OptionGroup var passphrase: PassphraseOptions
        @OptionGroup var database: DatabaseOptions

        func run() async throws {
            let secret = try passphrase.read()
            let report = BackupReport(quiet: database.quiet)
            let order = Backup.Order(
                database: database.path,
                destination: destination,
                passphrase: secret,
                program: Release.version,
                now: SystemClock.now
            )
            let receipt = try await interruptible(report) {
                giveWay()
                return try Backup.make(order, progress: report.note)
            }
            Console.line(receipt.file)
            Console.remark(
                "The backup has \(megabytes(receipt.bytes)) with \(counted(receipt.stories, "story", "stories")) and was verified.",
                quiet: database.quiet
            )
            if !receipt.hasKeys {
                Console.remark(
                    "It contains no keys because no passphrase seals it: restored without the folder \(database.path).keys, "
                        + "channels, deleted stories and tokens are lost, and what was erased since cannot be erased again.",
                    quiet: database.quiet
                )
            }
        }
    }

    /// `waymark backup verify`.
    struct Verify: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Reads a whole backup and checks that it can be restored.",
            discussion: "Example: waymark backup verify /mnt/backups/waymark-20260314-150926.waymark-backup"
        )

        @Argument(help: "The backup.")
        var file: String
        @OptionGroup var passphrase: PassphraseOptions
        @Flag(help: "Print no progress bars and no remarks.")
        var quiet = false

        func run() async throws {
            let secret = try passphrase.read()
            let report = BackupReport(quiet: quiet)
            let contents = try await interruptible(report) {
                try BackupCheck.verify(file, passphrase: secret, progress: report.note)
            }
            let made = RFC3339.format(Timestamp(milliseconds: contents.createdAt))
            Console.line(
                "\(file) is whole: made \(made) by Waymark \(contents.program), "
                    + "\(counted(contents.rows(of: "stories"), "story", "stories")), "
                    + "\(counted(contents.rows(of: "users"), "user", "users")), \(megabytes(contents.bytes)), "
                    + (contents.isSealed ? "sealed" : "not sealed")
                    + (contents.hasKeys ? ", with keys." : ", without keys.")
            )
        }
    }
}

/// The passphrase that seals backups.
struct PassphraseOptions: ParsableArguments {
    @Option(
        name: .customLong("passphrase-file"),
        help: "A file whose first line is the passphrase that seals the backup; at least 8 characters."
    )
    var file: String?

    /// Returns the passphrase as bytes; `nil` without the option.
    func read() throws -> [UInt8]? { try file.map { try PassphraseOptions.read($0, option: "--passphrase-file") } }

    /// Reads the first line of a file.
    static func read(_ file: String, option: String) throws -> [UInt8] {
        guard let bytes = try? contents(of: file) else {
            throw CommandFailure.usage("\(option): \(file) cannot be read; check the path and its permissions.")
        }
        guard bytes.count <= 65_536 else {
            throw CommandFailure.usage(
                "\(option): \(file) has more than 64 KB; give a file whose first line is the passphrase."
            )
        }
        var line = Array(bytes.prefix { $0 != UInt8(ascii: "\n") })
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        guard line.count >= 8 else {
            throw CommandFailure.usage("\(option): the first line of \(file) must have at least 8 characters.")
        }
        return line
    }
}

/// Runs work that removes what it has begun if the user ends the command.
///
/// - Throws: ``CommandFailure`` after SIGINT and SIGTERM; any error of `work`.
func interruptible<Value: Sendable>(_ report: BackupReport, _ work: () throws -> Value) async throws -> Value {
    Interruption.listen()
    defer { report.end() }
    do {
        return try work()
    } catch is Interruption.Ended {
        throw CommandFailure.failed("Ended; nothing was left behind.")
    }
}

/// Lets a service on the same machine go first.
///
/// Beside 10,000 people on two cores, a backup of equal priority kept one map in a hundred waiting for a second.
private func giveWay() {
    #if os(Linux)
    // On Linux, this sets the priority of the calling thread only, which does all the work.
    _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 10)
    #endif
}

/// The backups that `serve` makes by itself.
struct BackupOptions: ParsableArguments {
    @Option(name: .customLong("backup-to"), help: "A folder in which the service makes backups by itself.")
    var folder: String?
    @Option(
        name: .customLong("backup-every"),
        help: "The time between two backups, such as 90m, 24h or 7d; by default 24h."
    )
    var every: String?
    @Option(
        name: .customLong("backup-keep"),
        parsing: .unconditional,
        help: "The number of backups that are kept, by default 7; older ones are removed."
    )
    var keep: Int?
    @Option(
        name: .customLong("backup-passphrase-file"),
        help: "A file with the passphrase that seals these backups, which then contain the keys."
    )
    var passphraseFile: String?

    /// Returns the plan; `nil` without a folder.
    func plan() throws -> BackupPlan? {
        guard let interval = BackupPlan.interval(every ?? "24h") else {
            throw CommandFailure.usage("--backup-every must be a number with m, h or d, from 1m to 366d, such as 24h.")
        }
        let kept = keep ?? 7
        guard (1...10_000).contains(kept) else {
            throw CommandFailure.usage("--backup-keep must be between 1 and 10000.")
        }
        guard let folder else {
            // Somebody who gives one of these expects backups.
            let lonely = [
                ("--backup-passphrase-file", passphraseFile != nil), ("--backup-every", every != nil),
                ("--backup-keep", keep != nil),
            ]
            for (option, isGiven) in lonely where isGiven {
                throw CommandFailure.usage("\(option) needs --backup-to, the folder for the backups.")
            }
            return nil
        }
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder), isFolder.boolValue else {
            throw CommandFailure.usage("--backup-to: there is no folder \(folder). Make it, or give another one.")
        }
        return BackupPlan(
            folder: folder,
            every: interval,
            keep: kept,
            passphrase: try passphraseFile.map { try PassphraseOptions.read($0, option: "--backup-passphrase-file") }
        )
    }
}
