package import Archives
import Foundation
import GRDB

/// Verifies backups: reads all of one, and compares its database with what the archive says.
public enum BackupCheck: Sendable {
    /// What a verified backup contains.
    public struct Contents: Hashable, Sendable {
        package let manifest: ArchiveManifest
        /// The size of the archive in bytes.
        public let bytes: Int
        /// Whether it is sealed with a passphrase.
        public let isSealed: Bool
        /// Whether the keys are in it.
        public var hasKeys: Bool { manifest.hasKeys }
        /// When it was made, in milliseconds since 1970.
        public var createdAt: Int64 { manifest.createdAt }
        /// The version of the program that made it.
        public var program: String { manifest.program }
        /// The number of rows of a table.
        public func rows(of table: String) -> Int { manifest.tables.first { $0.name == table }?.rows ?? 0 }
    }

    /// Verifies a backup without restoring it: every byte, SQLite's own checks, the schema, and the digest of all rows.
    ///
    /// The database is extracted beside the archive meanwhile, readable only by this user, and removed again.
    ///
    /// - Throws: ``StoreError`` saying what is wrong; any error of `progress`.
    public static func verify(
        _ file: String,
        passphrase: [UInt8]?,
        progress: @escaping BackupProgress = { _, _, _ in }
    ) throws -> Contents {
        try BackupStep.explaining(file) {
            let reader = try ArchiveReader(file, passphrase: passphrase)
            let folder = URL(fileURLWithPath: file).deletingLastPathComponent().path
            try FreeSpace.require(reader.manifest.databaseBytes, in: folder, for: "Verifying \(file)")
            let name = URL(fileURLWithPath: file).lastPathComponent
            let work = try WorkFolder("\(folder)/.\(name).verifying")
            let contents = try extract(reader, to: work.file("database"), keys: nil, progress: progress)
            try checkDatabase(
                work.file("database"),
                against: contents.manifest,
                file: file,
                progress: progress
            )
            return contents
        }
    }

    /// Takes the database out of an archive, and the keys if a folder for them is given; verifies every byte.
    static func extract(
        _ reader: ArchiveReader,
        to database: String,
        keys: String?,
        progress: BackupProgress
    ) throws -> Contents {
        let total = reader.manifest.members.reduce(0) { $0 + $1.bytes }
        var done = 0
        try progress(.extracting, 0, total)
        for member in reader.manifest.members {
            var file: FileBytes?
            if member.name == ArchiveManifest.database {
                file = try FileBytes(creating: database)
            } else if let keys, member.name.hasPrefix(ArchiveManifest.keys) {
                file = try FileBytes(creating: "\(keys)/\(member.name.dropFirst(ArchiveManifest.keys.count))")
            }
            _ = try reader.nextMember { bytes in
                try file?.write(bytes)
                done += bytes.count
                try progress(.extracting, done, total)
            }
            try file?.sync()
        }
        return Contents(manifest: reader.manifest, bytes: reader.bytes, isSealed: reader.isSealed)
    }

    /// Compares an extracted database with its manifest and with this program, before anything in it is run.
    static func checkDatabase(
        _ database: String,
        against manifest: ArchiveManifest,
        file: String,
        progress: @escaping BackupProgress
    ) throws {
        let known: KnownSchema
        do {
            known = try KnownSchema(migrations: manifest.migrations)
        } catch let error as StoreError where error.code == .newerSchema {
            throw StoreError(
                .newerSchema,
                "\(file) was made by Waymark \(manifest.program), whose database this version does not know. Use Waymark "
                    + "\(manifest.program) or later."
            )
        }
        let plain = try PlainDatabase(database)
        defer { plain.close() }
        try plain.run { try known.check($0, file: file) }
        let found = try describe(database, as: file, progress: progress)
        guard found.migrations == manifest.migrations, found.tables == manifest.tables, found.digest == manifest.digest
        else {
            let table = zip(found.tables, manifest.tables).first { $0 != $1 }?.1.name ?? "its tables"
            throw StoreError(.failed, "\(file) is damaged in the rows of \(table). Use another backup.")
        }
    }

    /// Checks a database that nobody writes, and describes its content.
    ///
    /// `name` stands for it in messages.
    static func describe(
        _ database: String,
        as name: String,
        progress: @escaping BackupProgress
    ) throws -> ArchiveManifest {
        let plain = try PlainDatabase(database)
        defer { plain.close() }
        let size = Backup.fileSize(database)
        try progress(.checking, 0, size)
        return try plain.run(step: { try progress(.checking, 0, size) }) { db in
            let problems = try String.fetchAll(db, sql: "PRAGMA integrity_check(10)")
            guard problems == ["ok"] else {
                throw StoreError(
                    .notADatabase,
                    "The database of \(name) is damaged: \(problems.first ?? "SQLite does not say how"). Restore an earlier "
                        + "backup."
                )
            }
            let digest = try LogicalDigest(of: db)
            let migrations = try String.fetchAll(db, sql: "SELECT identifier FROM grdb_migrations ORDER BY rowid")
            let file = try FileBytes.digest(of: database) { _ in try progress(.checking, size, size) }
            return ArchiveManifest(
                program: "",
                createdAt: 0,
                migrations: migrations,
                digest: digest.digest,
                tables: digest.tables,
                members: [.init(name: ArchiveManifest.database, bytes: file.bytes, digest: file.digest)]
            )
        }
    }
}
