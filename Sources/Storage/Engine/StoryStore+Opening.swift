import Foundation
package import GRDB
import Logging
import Stories

extension StoryStore {
    static func openForWriting(_ path: String, sums: PageSums?, logger: Logger) throws -> any DatabaseWriter {
        let isNew = !FileManager.default.fileExists(atPath: path)
        if isNew {
            // Created with its final permissions, so that others cannot read the file even briefly.
            _ = FileManager.default.createFile(atPath: path, contents: nil, attributes: [.posixPermissions: 0o600])
        }
        sums?.startChecking(isNew: size(of: path) == 0)
        let pool = try DatabasePool(path: path, configuration: configuration(sums: sums))
        try makeDurable(pool, path: path)
        try checkVersion(pool, path: path)
        try pool.writeWithoutTransaction { db in
            try LogKeeper.prepare(db)
            try DatabaseFile.wipeGaps(on: db)
            // After a failed `fsync`, pages of the log may exist only in the system's memory. Writing them again into
            // the file puts them on the disk before any later write is acknowledged.
            try moveLog(db, path: path)
            if let sums, sums.isChangedByOthers { try PageJudgement.judge(db, sums: sums, logger: logger) }
        }
        // Marked as ours before anything else, so that a creation that ran out of disk space can be resumed.
        try pool.writeWithoutTransaction { db in
            guard try Int.fetchOne(db, sql: "PRAGMA application_id") == 0 else { return }
            try db.execute(sql: "PRAGMA application_id = \(Schema.applicationID)")
        }
        try migrate(pool, path: path)
        try pool.writeWithoutTransaction { try wipeOldGaps($0, isNew: isNew, logger: logger) }
        try pool.writeWithoutTransaction { try keepTemporariesInMemory($0) }
        try pool.writeWithoutTransaction { try Schema.noteOwnEdits(on: $0) }
        try pool.write { if try LayerStatistics.areMissing($0) { try LayerStatistics.update($0) } }
        return pool
    }

    /// Makes acknowledged writes survive a power cut; GRDB sets NORMAL after `prepareDatabase`.
    private static func makeDurable(_ pool: DatabasePool, path: String) throws {
        try pool.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA synchronous = FULL")
            try checkDurability(db, path: path)
        }
    }

    /// Brings the tables up to date.
    ///
    /// Each step is a commit of its own, and a new database needs 45 of them. They do not wait for the disk: under NORMAL a
    /// power cut undoes the last of them, never a part of one, and the next opening repeats these. Nothing is acknowledged
    /// before the first commit that follows, which syncs the whole log.
    private static func migrate(_ pool: DatabasePool, path: String) throws {
        guard try pool.writeWithoutTransaction({ try !Schema.migrator.hasCompletedMigrations($0) }) else { return }
        try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = NORMAL") }
        try Schema.migrator.migrate(pool)
        try makeDurable(pool, path: path)
    }

    /// Moves the log into the file.
    ///
    /// A log that another process reads, or that a full disk has no room for, stays beside the file and is whole there.
    ///
    /// - Throws: ``StoreError`` with code `stopped` if the disk fails: then it is unknown what is on it.
    private static func moveLog(_ db: Database, path: String) throws {
        do {
            _ = try db.checkpoint(.truncate)
        } catch let error as DatabaseError where error.resultCode == .SQLITE_IOERR {
            throw StoreError(
                .stopped,
                "The disk of \(path) failed (\(error)) while its log was moved into it. Check the disk, then start again: "
                    + "the log is kept until that succeeds."
            )
        } catch {}
    }

    /// Keeps SQLite's statement journals in memory.
    ///
    /// In separate files they are the largest part of the data an erasure writes (measured: 1.2 GB for 5,000 stories),
    /// and old pages with erased texts stay on the disk, out of reach, wherever the system put them. Changing the
    /// setting drops temporary triggers, and `VACUUM` would build its copy in memory. So this runs before the triggers
    /// are created and after the `VACUUM` (sqlite.org/pragma.html#pragma_temp_store).
    private static func keepTemporariesInMemory(_ db: Database) throws {
        try db.execute(sql: "PRAGMA temp_store = MEMORY")
    }

    /// The value of `PRAGMA user_version` for a file in which no page gap contains anything.
    private static let wipedGaps = 1

    /// Rewrites, once, a file created before gaps were wiped; see ``GapWiper``.
    ///
    /// If the disk has no room for it, a later start tries again.
    private static func wipeOldGaps(_ db: Database, isNew: Bool, logger: Logger) throws {
        guard try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0 < wipedGaps else { return }
        do {
            if !isNew { try db.execute(sql: "VACUUM") }
            try db.execute(sql: "PRAGMA user_version = \(wipedGaps)")
            _ = try? db.checkpoint(.truncate)
        } catch let error as DatabaseError where error.resultCode == .SQLITE_FULL {
            logger.warning(
                "no room to rewrite the database; content erased earlier may remain in unused gaps of its file"
            )
        }
    }

    static func openForReading(_ path: String, sums: PageSums?, logger: Logger) throws -> any DatabaseWriter {
        sums?.startChecking(isNew: false)
        var configuration = configuration(sums: sums)
        configuration.readonly = true
        let queue = try queueForReading(path, configuration)
        // Beside a running service, which writes the file and its sums, there is nothing to judge.
        if let sums, sums.checking == .lenient {
            if StoreLock.isHeld(database: path) {
                sums.check(.strict)
            } else {
                try queue.writeWithoutTransaction { try PageJudgement.judge($0, sums: sums, logger: logger) }
            }
        }
        try checkVersion(queue, path: path)
        guard try queue.read({ try Schema.migrator.hasCompletedMigrations($0) }) else {
            throw StoreError(
                .failed,
                "\(path) is empty or from an earlier version. Run 'waymark serve' or 'waymark import' to update it."
            )
        }
        return queue
    }

    /// Opens a file for reading, also on a disk on which nothing can be written.
    ///
    /// There SQLite cannot make the shared memory of the log. If there is no log either, nothing can change the file, and
    /// it is opened as immutable (sqlite.org/uri.html, "immutable=1"), which needs no shared memory. With a log, that would
    /// leave out what the log holds.
    private static func queueForReading(_ path: String, _ configuration: Configuration) throws -> DatabaseQueue {
        do {
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            // The first look at the file opens the log.
            _ = try queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM sqlite_master") }
            return queue
        } catch let error as DatabaseError
            where error.resultCode.primaryResultCode == .SQLITE_CANTOPEN && FileSystem.isReadOnly(path)
        {
            guard fileSize(of: path + "-wal") == 0 else {
                throw StoreError(
                    .failed,
                    "\(path) was not closed: its log \(path)-wal holds changes that cannot be read on a disk on which nothing "
                        + "can be written. Make the disk writable and start 'waymark serve' once, or copy the database with "
                        + "all files beside it to another disk."
                )
            }
            guard let name = immutableName(of: path) else { throw error }
            return try DatabaseQueue(path: name, configuration: configuration)
        }
    }

    /// Returns the name under which SQLite opens a file that nothing changes: it makes no file beside it and takes no lock.
    static func immutableName(of path: String) -> String? {
        let allowed = CharacterSet.urlPathAllowed.subtracting(CharacterSet(charactersIn: "?#%"))
        return path.addingPercentEncoding(withAllowedCharacters: allowed).map { "file:\($0)?immutable=1" }
    }

    static func fileSize(of file: String) -> Int {
        (try? FileManager.default.attributesOfItem(atPath: file)[.size] as? Int).flatMap(\.self) ?? 0
    }

    /// Rejects an older copy of the database that still contains content erased since.
    ///
    /// Next to a running service the copy is accepted: the service applied the list when it started and may be about to
    /// erase the rest.
    static func checkErasures(_ erasures: ErasureList, in database: any DatabaseReader, path: String) throws {
        let entries = erasures.entries
        let isOlder = try database.read { db in
            let reader = StoreReader(db: db, clock: StoreClock())
            let isWider = try !erasures.narrowings(after: reader.narrowedLines()).isEmpty
            return try isWider || isBeyond(erasures, reader) || !reader.unapplied(entries).isEmpty
        }
        guard isOlder, !StoreLock.isHeld(database: path) else { return }
        throw StoreError(
            .failed,
            "\(path) predates erasures or narrowings listed in \(path).keys/erasures.log. Start 'waymark serve' once: it "
                + "repeats them before anything is read."
        )
    }

    /// Returns whether a database is older than the list of narrowings.
    static func isBeyond(_ erasures: ErasureList, _ database: any DatabaseReader) throws -> Bool {
        try database.read { try isBeyond(erasures, StoreReader(db: $0, clock: StoreClock())) }
    }

    private static func isBeyond(_ erasures: ErasureList, _ reader: StoreReader) throws -> Bool {
        guard let begun = erasures.begun else { return false }
        return try reader.narrowedLines() < begun && !reader.isUnused()
    }

    /// The error for a database that the list cannot bring up to date.
    static func beyondList(_ path: String) -> StoreError {
        StoreError(
            .failed,
            "\(path) may be an older copy, and what became narrower since is not on the list \(path).keys/erasures.log: "
                + "private stories could be public again, and former members could see them. Either put the list back "
                + "(the folder of keys from a backup as new as the database), or run 'waymark serve --after-old-copy "
                + "private' once: every story is then temporarily private until you release its account, and channels "
                + "are off until their users check them. To begin anew with an empty database, remove \(path) and the folder "
                + "\(path).keys."
        )
    }

    /// Logs a warning if keys that the database was used with are lost, and an error if lines of the list of erasures
    /// are lost.
    ///
    /// Returns whether lines were found to be lost now; see ``ErasureList/noteLoss(of:at:)``.
    static func checkCount(
        of erasures: ErasureList,
        keys: StoreKeys,
        in database: any DatabaseReader,
        path: String,
        at now: Timestamp,
        logger: Logger
    ) throws -> Bool {
        let (known, wasUsed) = try database.read { db in
            (
                try StoreReader(db: db, clock: StoreClock()).listedLines(),
                try Int.fetchOne(db, sql: "SELECT 1 FROM users WHERE id <> 'archive' LIMIT 1") != nil
            )
        }
        if wasUsed, keys.madeAnew.contains(.tokens) {
            logger.warning(
                """
                the folder of keys lacked keys, so new ones were created; if the database was moved without that \
                folder, stop the service and put the folder back before anybody uses it
                """,
                metadata: ["keys": "\(keys.madeAnew.map(\.rawValue).joined(separator: ", "))"]
            )
            do {
                try LostKeys.note(keys.madeAnew, beside: path)
            } catch {
                logger.warning("the note of lost keys cannot be written", metadata: ["error": "\(error)"])
            }
        }
        let missing = known - erasures.total
        if missing > 0 { erasures.noteLoss(of: known, at: now) }
        guard erasures.hasLostLines else { return false }
        logger.error(
            """
            the list of erasures has lost lines: restoring an older copy of the database could restore erased data. \
            See erasures.lost in the folder of keys for what to do
            """,
            metadata: missing > 0 ? ["lines": "\(missing)"] : [:]
        )
        return missing > 0
    }

    private static func configuration(sums: PageSums?) -> Configuration {
        var configuration = Configuration()
        configuration.foreignKeysEnabled = true
        configuration.busyMode = .timeout(5)
        configuration.maximumReaderCount = 4
        configuration.prepareDatabase { db in
            try DatabaseFile.install(on: db, sums: sums)
            // Keeps deleted text and coordinates from staying readable in free pages.
            try db.execute(sql: "PRAGMA secure_delete = ON")
            try SpatialConnection.load(into: db)
        }
        return configuration
    }

    /// Runs `body` on the writer's connection, outside a transaction; for tests that inspect the database directly.
    package func inspect<Value>(_ body: (Database) throws -> Value) throws -> Value {
        try database.writeWithoutTransaction(body)
    }

    /// Runs `body` on a reader's connection, in one view of the data; for tests that inspect the database directly.
    package func inspectReader<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws -> Value {
        try await explaining { try await self.database.readAtOnce(body) }
    }

    /// Runs `body` on the writer once it is free, without waiting for it; for tests of the order of writes.
    package func inspectLater(_ body: @escaping @Sendable (Database) -> Void) {
        database.asyncWriteWithoutTransaction(body)
    }

    /// Reads the durability settings back from the writer's connection and rejects any that differ from those required.
    package static func checkDurability(_ db: Database, path: String) throws {
        let expected: [(pragma: String, value: String)] = [
            ("journal_mode", "wal"), ("synchronous", "2"), ("secure_delete", "1"), ("foreign_keys", "1"),
        ]
        for (pragma, value) in expected {
            let found = try String.fetchOne(db, sql: "PRAGMA \(pragma)")
            guard found == value else {
                throw StoreError(
                    .notDurable,
                    "\(path): SQLite answers \(pragma) = \(found ?? "nothing") instead of \(value). "
                        + "Refusing to run, because acknowledged writes could be lost. Is the file on a network file system?"
                )
            }
        }
    }

    /// Rejects files of other programs and of later versions before anything in them is changed.
    private static func checkVersion(_ reader: any DatabaseReader, path: String) throws {
        try reader.read { db in
            let identity = try Int.fetchOne(db, sql: "PRAGMA application_id") ?? 0
            let tables = try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_master") ?? 0
            guard identity == Schema.applicationID || tables == 0 else { throw foreign(path) }
            guard try !Schema.migrator.hasBeenSuperseded(db) else {
                throw StoreError(.newerSchema, "\(path) was written by a later version of waymark. Use that version.")
            }
        }
    }

    private static func foreign(_ path: String) -> StoreError {
        StoreError(.notADatabase, "\(path) is not a Waymark database. Give another --database.")
    }

    /// Checks the first bytes of a file and rejects it if it is not a Waymark database, without opening it in SQLite.
    ///
    /// Layout: "Database File Format", sqlite.org/fileformat2.html §1.3: magic at 0, schema cookie at 40, application
    /// id at 68, both big-endian.
    static func checkHeader(of path: String) throws {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            return try checkFolder(of: path)
        }
        guard !isFolder.boolValue else {
            throw StoreError(.notADatabase, "\(path) is a folder. Give a file as --database.")
        }
        // Reading a pipe would wait for somebody to write.
        let type = try? FileManager.default.attributesOfItem(atPath: path)[.type] as? FileAttributeType
        guard type == nil || type == .typeRegular else {
            throw StoreError(
                .notADatabase,
                "\(path) is a device or a pipe, so no database can be in it. Give a file as --database."
            )
        }
        guard let file = FileHandle(forReadingAtPath: path) else {
            throw StoreError(.failed, "\(path) cannot be read. Check its permissions.")
        }
        defer { try? file.close() }
        let header = PageSums.corrected([UInt8](try file.read(upToCount: 4_096) ?? Data()), ofDatabase: path)
        guard !header.isEmpty else { return try checkEmptyFile(path) }
        guard header.count >= 100, header.starts(with: Array("SQLite format 3\0".utf8)) else { throw foreign(path) }
        func number(at offset: Int) -> Int { header[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) } }
        // A file that was never checkpointed after its creation still has everything in its log.
        let isUnmarked = number(at: 68) == 0
        let isFresh = number(at: 40) == 0 || FileManager.default.fileExists(atPath: path + "-wal")
        guard number(at: 68) == Schema.applicationID || (isUnmarked && isFresh) else { throw foreign(path) }
    }

    /// Rejects the path of a new database whose folder does not exist.
    private static func checkFolder(of path: String) throws {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder) else {
            throw StoreError(
                .missing,
                "The folder \(folder) does not exist. Make it with \"mkdir -p '\(folder)'\", or give another --database."
            )
        }
        guard isFolder.boolValue else {
            throw StoreError(.missing, "\(folder) is a file and no folder. Give another --database.")
        }
    }

    /// Returns a path with all symbolic links resolved, or only those of its folder if the file does not exist yet.
    static func resolved(_ path: String) -> String {
        let url = URL(fileURLWithPath: path)
        if FileManager.default.fileExists(atPath: path) { return url.resolvingSymlinksInPath().path }
        let folder = url.deletingLastPathComponent().resolvingSymlinksInPath()
        return folder.appendingPathComponent(url.lastPathComponent).path
    }
}
