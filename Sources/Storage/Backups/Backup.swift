package import Archives
import Foundation
import GRDB
public import Stories

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Makes backups: one file with the database, and, sealed, with the keys beside it.
///
/// It works beside a running service and without one: it takes no lock of the database, changes nothing in it, and reads
/// one view of it by `VACUUM INTO`, which ends however much is written meanwhile.
public enum Backup: Sendable {
    /// The ending of the names of backups.
    public static let ending = "waymark-backup"
    /// The ending of the names of unfinished ones.
    private static let unfinished = ".waymark-partial"

    /// What to back up and where.
    public struct Order: Sendable {
        /// The path of the database.
        public let database: String
        /// A folder, in which a name is chosen, or a file that does not exist yet.
        public let destination: String
        /// Seals the archive; without it, no keys are in it.
        public let passphrase: [UInt8]?
        /// The version of the program.
        public let program: String
        /// The time.
        public let now: Timestamp
        package var cost = PassphraseCost.standard

        /// Creates an order.
        public init(database: String, destination: String, passphrase: [UInt8]?, program: String, now: Timestamp) {
            self.database = database
            self.destination = destination
            self.passphrase = passphrase
            self.program = program
            self.now = now
        }
    }

    /// What was made.
    public struct Receipt: Hashable, Sendable {
        /// The path of the archive.
        public let file: String
        /// Its size in bytes.
        public let bytes: Int
        /// Its contents.
        package let manifest: ArchiveManifest
        /// The size of the database in bytes.
        public var databaseBytes: Int { manifest.databaseBytes }
        /// The number of stories.
        public var stories: Int { manifest.tables.first { $0.name == "stories" }?.rows ?? 0 }
        /// Whether the keys are in it.
        public var hasKeys: Bool { manifest.hasKeys }
    }

    /// Makes a backup, verifies it, and records that beside the database.
    ///
    /// A backup that fails or is ended by `progress` leaves nothing; one that is killed leaves files that the next one
    /// removes.
    ///
    /// - Throws: ``StoreError``; any error of `progress`.
    /// - Complexity: O(bytes) time, O(1) memory.
    public static func make(_ order: Order, progress: @escaping BackupProgress = { _, _, _ in }) throws -> Receipt {
        let path = StoryStore.resolved(order.database)
        guard FileManager.default.fileExists(atPath: path) else {
            throw StoreError(.missing, "There is no database at \(path). Give the right one with --database.")
        }
        return try BackupStep.explaining(path) {
            let target = try Target(order.destination, now: order.now)
            target.removeLeftovers()
            let receipt = try make(order, of: path, at: target, progress: progress)
            // The figures are a service to the operator; the backup is complete without them.
            try? UpkeepRecord(
                .backup,
                at: order.now,
                outcome: "verified",
                figures: [
                    "bytes": receipt.bytes, "database_bytes": receipt.databaseBytes, "stories": receipt.stories,
                    "sealed": receipt.hasKeys ? 1 : 0,
                ]
            )
            .write(besideDatabase: path)
            return receipt
        }
    }

    private static func make(
        _ order: Order,
        of path: String,
        at target: Target,
        progress: @escaping BackupProgress
    ) throws -> Receipt {
        let work = try WorkFolder(path + ".backup-work")
        let copy = work.file("database")
        try copyDatabase(path, to: copy, besides: target, progress: progress)
        var manifest = try BackupCheck.describe(copy, as: path, progress: progress)
        manifest.program = order.program
        manifest.createdAt = order.now.milliseconds
        // The keys are read after the database, so that the list of erasures never lacks a line that it knows of.
        var files = [copy]
        if order.passphrase != nil {
            for name in try keyFiles(of: path) {
                let bytes = try ErasureFile.read("\(path).keys/\(name)")
                let file = work.file("key-\(name)")
                try FileBytes(creating: file).write(bytes)
                let digest = try FileBytes.digest(of: file) { _ in }
                manifest.members.append(
                    .init(name: ArchiveManifest.keys + name, bytes: digest.bytes, digest: digest.digest)
                )
                files.append(file)
            }
        }
        do {
            let bytes = try write(order, manifest, files, to: target, progress: progress)
            return Receipt(file: target.file, bytes: bytes, manifest: manifest)
        } catch {
            unlink(target.partial)
            throw error
        }
    }

    private static func copyDatabase(
        _ path: String,
        to copy: String,
        besides target: Target,
        progress: @escaping BackupProgress
    ) throws {
        let database = try PlainDatabase(path, forCopying: true)
        defer { database.close() }
        let size = try database.size()
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        if FreeSpace.isShared(folder, target.folder) {
            try FreeSpace.require(2 * size, in: folder, for: "A backup of \(path)")
        } else {
            try FreeSpace.require(size, in: folder, for: "A copy of \(path)")
            try FreeSpace.require(size, in: target.folder, for: "A backup of \(path)")
        }
        try progress(.copying, 0, size)
        try database.run(step: { try progress(.copying, min(size, fileSize(copy)), size) }) { db in
            guard try !Schema.migrator.hasBeenSuperseded(db) else {
                throw StoreError(.newerSchema, "\(path) was written by a later version of waymark. Use that version.")
            }
            try db.execute(sql: "VACUUM INTO ?", arguments: [copy])
        }
        chmod(copy, 0o600)
        try progress(.copying, size, size)
    }

    /// Returns the names of the files in the folder of keys, sorted.
    private static func keyFiles(of path: String) throws -> [String] {
        let folder = path + ".keys"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return
            names.filter { name in
                var status = stat()
                return !name.hasSuffix(".new") && ArchiveManifest.isName(ArchiveManifest.keys + name)
                    && lstat("\(folder)/\(name)", &status) == 0 && status.st_mode & S_IFMT == S_IFREG
            }
            .sorted()
    }

    private static func write(
        _ order: Order,
        _ manifest: ArchiveManifest,
        _ files: [String],
        to target: Target,
        progress: BackupProgress
    ) throws -> Int {
        let total = manifest.members.reduce(0) { $0 + $1.bytes }
        var done = 0
        try progress(.writing, 0, total)
        let writer = try ArchiveWriter(
            creating: target.partial,
            manifest: manifest,
            passphrase: order.passphrase,
            cost: order.cost
        )
        for path in files {
            let file = try FileBytes(reading: path)
            while true {
                let bytes = try file.read(256 << 10)
                guard !bytes.isEmpty else { break }
                try writer.append(bytes)
                done += bytes.count
                try progress(.writing, done, total)
            }
        }
        try writer.finish()
        done = 0
        let reader = try ArchiveReader(target.partial, passphrase: order.passphrase)
        guard reader.manifest == manifest else {
            throw StoreError(.failed, "\(target.partial) differs from what was written. Check the disk.")
        }
        while try reader.nextMember({ bytes in
            done += bytes.count
            try progress(.verifying, done, total)
        }) != nil {}
        guard !FileManager.default.fileExists(atPath: target.file), rename(target.partial, target.file) == 0 else {
            throw StoreError(.failed, "\(target.file) cannot be created, or was created meanwhile. Try again.")
        }
        FileBytes.syncFolder(target.folder)
        return reader.bytes
    }

    /// Returns the size of a file in bytes; 0 if there is none.
    static func fileSize(_ path: String) -> Int {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : 0
    }

    /// Where a backup goes.
    private struct Target {
        let file: String
        let folder: String
        /// The name of the file until it is complete.
        let partial: String

        init(_ destination: String, now: Timestamp) throws {
            var isFolder: ObjCBool = false
            let exists = FileManager.default.fileExists(atPath: destination, isDirectory: &isFolder)
            let name: String
            if exists, isFolder.boolValue {
                folder = URL(fileURLWithPath: destination).path
                name = "waymark-\(BackupName.stamp(now)).\(Backup.ending)"
            } else {
                guard !destination.hasSuffix("/") else {
                    throw StoreError(.refused, "There is no folder \(destination). Create it, or give another one.")
                }
                let url = URL(fileURLWithPath: destination)
                (folder, name) = (url.deletingLastPathComponent().path, url.lastPathComponent)
            }
            file = "\(folder)/\(name)"
            partial = "\(folder)/.\(name)\(Backup.unfinished)"
            guard !FileManager.default.fileExists(atPath: file) else {
                throw StoreError(.refused, "\(file) already exists. Give another name, or a folder.")
            }
            var status = stat()
            guard stat(folder, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
                throw StoreError(.refused, "There is no folder \(folder). Create it, or give another one.")
            }
        }

        /// Removes what killed backups left in the folder.
        func removeLeftovers() {
            for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
            where name.hasPrefix(".") && name.hasSuffix(Backup.unfinished) {
                let path = "\(folder)/\(name)"
                let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
                guard descriptor >= 0 else { continue }
                // One that is being written is locked.
                if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { unlink(path) }
                close(descriptor)
            }
        }
    }
}
