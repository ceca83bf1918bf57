import Archives
import Foundation
public import Stories

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Restores a backup in steps, so that a good database is never replaced by a bad one.
///
/// It holds the lock of the database. Everything is extracted to a folder beside it and verified there; the caller opens
/// it there, which applies the list of erasures; only then ``swap(step:)`` puts it in place. Until then the present
/// database is unchanged, and whatever happens, releasing this removes the folder.
public final class Restoration {
    /// The path of the database that is replaced.
    public let database: String
    /// The path of the restored database until ``swap(step:)``.
    public let staged: String
    /// What the backup contains.
    public let contents: BackupCheck.Contents
    /// What was decided about keys, in sentences for the operator.
    public let notes: [String]
    /// Whether there is a database that is replaced.
    public let replaces: Bool

    private let lock: StoreLock
    private let time: Timestamp
    private let work: WorkFolder

    /// Extracts a backup beside the database at `database` and verifies it there.
    ///
    /// - Throws: ``StoreError`` if a service runs, or saying what is wrong with the backup; any error of `progress`.
    public init(
        of file: String,
        passphrase: [UInt8]?,
        to database: String,
        now: Timestamp,
        progress: @escaping BackupProgress = { _, _, _ in }
    ) throws {
        let path = StoryStore.resolved(database)
        self.database = path
        time = now
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        guard FileManager.default.fileExists(atPath: folder) else {
            throw StoreError(.refused, "There is no folder \(folder). Create it, or give another --database.")
        }
        lock = try StoreLock(database: path, isRemovedIfUnused: true)
        try RestoreSwap.finishInterrupted(path)
        replaces = FileManager.default.fileExists(atPath: path)
        let work = try WorkFolder(RestoreSwap.staging(path))
        self.work = work
        let staged = work.file(URL(fileURLWithPath: path).lastPathComponent)
        self.staged = staged
        let merge: KeyMerge
        (contents, merge) = try BackupStep.explaining(file) {
            let reader = try ArchiveReader(file, passphrase: passphrase)
            // The opened database grows by its log.
            let bytes = reader.manifest.databaseBytes
            try FreeSpace.require(bytes + bytes / 8, in: folder, for: "Restoring \(file)")
            let keys = work.file("extracted-keys")
            guard mkdir(keys, 0o700) == 0 else { throw StoreError(.failed, "Cannot create \(keys). Is the disk full?") }
            let contents = try BackupCheck.extract(reader, to: staged, keys: keys, progress: progress)
            try BackupCheck.checkDatabase(
                staged,
                against: contents.manifest,
                file: file,
                progress: progress
            )
            let merge = KeyMerge(present: try Restoration.folder(path + ".keys"), backup: try Restoration.folder(keys))
            return (contents, merge)
        }
        notes = merge.notes
        try writeKeys(merge.files)
    }

    /// Puts the restored database in place; returns the folder in which the one before it is kept, `nil` if there was
    /// none.
    ///
    /// The store that the caller opened at ``staged`` must be closed. A process that is killed meanwhile leaves a journal, and the
    /// next start completes what it began.
    ///
    /// - Throws: ``StoreError`` if the restored database is still open or a file cannot be moved.
    public func swap() throws -> String? { try swap(step: { _ in }) }

    /// As ``swap()``; `step` is called after each step.
    package func swap(step: (Int) throws -> Void) throws -> String? {
        guard Backup.fileSize(staged + "-wal") == 0 else {
            throw StoreError(.failed, "\(staged) is still open, so it was not put in place. Nothing was replaced.")
        }
        let name = URL(fileURLWithPath: database).lastPathComponent
        let parent = URL(fileURLWithPath: database).deletingLastPathComponent()
        let start = "\(name).before-restore-\(BackupName.stamp(time))"
        var (folder, number) = (start, 1)
        while FileManager.default.fileExists(atPath: parent.appendingPathComponent(folder).path) {
            number += 1
            folder = "\(start)-\(number)"
        }
        try BackupStep.explaining(staged) { try FileBytes(reading: staged).sync() }
        // From here on the files in it are needed until the journal is gone, also after a failure.
        work.keepContents()
        try RestoreSwap.run(database, keepingIn: folder, step: step)
        let kept = parent.appendingPathComponent(folder).path
        return FileManager.default.fileExists(atPath: kept) ? kept : nil
    }

    /// Reads a folder of keys; an empty value if there is none.
    private static func folder(_ path: String) throws -> KeyMerge.Folder {
        var folder = KeyMerge.Folder()
        for name in (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? [] {
            var status = stat()
            guard !name.hasSuffix(".new"), lstat("\(path)/\(name)", &status) == 0, status.st_mode & S_IFMT == S_IFREG
            else {
                continue
            }
            var bytes = try ErasureFile.read("\(path)/\(name)")
            // Lines that a crash left open are treated as committed: the request to erase was made.
            if name == "erasures.log", bytes.last == UInt8(ascii: " ") { bytes[bytes.count - 1] = UInt8(ascii: "\n") }
            folder.files[name] = bytes
        }
        if let key = folder.files["erasures.key"] {
            folder.lines = try ErasureList(folder: path, key: key).total
        }
        return folder
    }

    private func writeKeys(_ files: [String: [UInt8]]) throws {
        guard !files.isEmpty else { return }
        let folder = staged + ".keys"
        try BackupStep.explaining(folder) {
            guard mkdir(folder, 0o700) == 0 else {
                throw StoreError(.failed, "Cannot create \(folder). Is the disk full?")
            }
            for (name, bytes) in files.sorted(by: { $0.key < $1.key }) {
                let file = try FileBytes(creating: "\(folder)/\(name)")
                try file.write(bytes)
                try file.sync()
            }
            FileBytes.syncFolder(folder)
        }
    }
}

@available(*, unavailable)
extension Restoration: Sendable {}
