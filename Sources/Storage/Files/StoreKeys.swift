import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The secrets of an installation.
///
/// Some keys must survive moving the database file alone, because they decide which story an import created and who was
/// notified of what. These are stored inside the file. The others are in `PATH.keys/` (0700) next to it, outside its
/// backups, and can be created again.
public struct StoreKeys: Sendable {
    /// The purpose of a key.
    public enum Name: String, CaseIterable, Sendable {
        /// Derives the id of an imported story from (owner, source, source id); inside the database.
        case storyIDs = "story-ids"
        /// Keys the digests in the ledger; inside the database.
        case ledger
        /// Keys the digests that are summed to map versions.
        case versions
        /// Signs cursors.
        case cursors
        /// Signs the tokens of the built-in issuer (HS256).
        case tokens
        /// Names persons in the list of erasures, and signs receipts.
        case erasures
        /// Seals deleted stories that are kept for the retention period.
        case sealing
        /// Seals the addresses and secrets of channels.
        case channels
        /// The private key that identifies this service to browsers' push services.
        case vapid

        /// Whether the key is in a file next to the database, with this name and `.key`.
        var isBeside: Bool { self != .storyIDs && self != .ledger }
    }

    private let keys: [Name: [UInt8]]
    /// The former keys for each purpose; see ``formers(_:)``.
    let former: [Name: [FormerKey]]

    /// Whether the keys outlive this process; false for a reader of a database without keys next to it.
    public let arePermanent: Bool

    /// The keys that were missing next to the database when it was opened.
    package let madeAnew: [Name]

    /// Combines the keys from inside a database with those next to it, creating the latter where missing.
    ///
    /// If `creating` is false, nothing is written: missing keys exist in memory only.
    ///
    /// - Throws: ``StoreError`` if a key cannot be read or written, or has fewer than 32 bytes.
    init(inside: [Name: [UInt8]], besideDatabase path: String, creating: Bool) throws {
        let folder = path + ".keys"
        var keys = inside
        var arePermanent = true
        var madeAnew: [Name] = []
        var former: [Name: [FormerKey]] = [:]
        if creating, mkdir(folder, 0o700) != 0, errno != EEXIST {
            throw StoreError(.failed, "Cannot create the folder \(folder): \(String(cString: strerror(errno))).")
        }
        var checks = try KeyChecks(folder: folder)
        for name in Name.allCases where name.isBeside {
            let file = "\(folder)/\(name.rawValue).key"
            if let key = try StoreKeys.read(name, file) {
                guard !checks.differs(key, from: name) else {
                    throw StoreError(.failed, StoreKeys.advice(on: name, in: file, .changed))
                }
                keys[name] = key
                checks.accept(key, as: name)
            } else {
                let key = StoreKeys.random()
                keys[name] = key
                madeAnew.append(name)
                checks.accept(key, as: name)
                if creating { try StoreKeys.write(keys[name] ?? [], to: file, in: folder) }
                arePermanent = arePermanent && creating
            }
            // After a crash between the two files of a rotation, the key may be among the former ones already.
            former[name] = try FormerKeyFile(name, folder: folder).read().filter { $0.key != keys[name] }
        }
        if creating { checks.save() }
        self.keys = keys
        self.former = former
        self.arePermanent = arePermanent
        self.madeAnew = madeAnew
    }

    /// The bytes of a key, at least 32.
    public subscript(name: Name) -> [UInt8] { keys[name] ?? [] }

    /// Returns the first 16 bytes of a key as two integers, for keyed hashes in memory.
    public func integers(_ name: Name) -> (UInt64, UInt64) {
        let bytes = self[name]
        func integer(_ range: Range<Int>) -> UInt64 { bytes[range].reduce(0) { $0 << 8 | UInt64($1) } }
        return bytes.count >= 16 ? (integer(0..<8), integer(8..<16)) : (0, 0)
    }

    /// Returns 32 bytes from the system's generator.
    static func random() -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }

    static func read(_ name: Name, _ file: String) throws -> [UInt8]? {
        let descriptor = open(file, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            // A new key is created only if the file is missing. A folder without access may still contain it.
            if errno == ENOENT { return nil }
            throw StoreError(.failed, advice(on: name, in: file, .unreadable(errno)))
        }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        guard let data = try? handle.read(upToCount: 65_536) ?? Data() else {
            throw StoreError(.failed, advice(on: name, in: file, .unreadable(EISDIR)))
        }
        guard data.count >= 32 else { throw StoreError(.failed, advice(on: name, in: file, .damaged(data.count))) }
        return [UInt8](data)
    }

    /// A fault of a key file.
    package enum Fault: Sendable {
        /// It cannot be read, for this reason (`errno`).
        case unreadable(Int32)
        /// It has this many bytes instead of 32.
        case damaged(Int)
        /// It is not the key that it was when the database was last open.
        case changed
    }

    /// Describes a fault of a key and how to fix it.
    package static func advice(on name: Name, in file: String, _ fault: Fault) -> String {
        switch fault {
        case .unreadable(let code) where code == EACCES || code == EPERM:
            "\(file) cannot be read by this user (\(String(cString: strerror(code)))). Start waymark as the owner of "
                + "the file, or make the user who runs waymark its owner (chown; chmod 600, and 700 for the folder). "
                + "Do not delete it: its content is intact."
        case .unreadable(let code):
            "\(file) cannot be read (\(String(cString: strerror(code)))). Check the disk, or restore it from a backup of the "
                + "folder of keys. " + withoutBackup(name)
        case .damaged(let count):
            "\(file) is damaged: it holds \(count) bytes instead of 32. Restore it from a backup of the folder of keys. "
                + withoutBackup(name)
        case .changed:
            "\(file) is damaged: it is not the key that it was when the database was last open. Restore it from a backup of "
                + "the folder of keys. " + withoutBackup(name)
        }
    }

    private static func withoutBackup(_ name: Name) -> String {
        switch name {
        case .erasures:
            "If there is no backup, move this file and the erasures.log beside it, which only this key can read, out "
                + "of the folder: a new list is then started. Destroy older copies of the database, because "
                + "they bring back data erased since."
        case .sealing:
            "If there is no backup, delete the file: a new key is then created, and stories deleted so far can no "
                + "longer be restored."
        case .channels:
            "If there is no backup, delete the file: a new key is then created, "
                + "and users must add their channels again."
        case .vapid:
            "If there is no backup, delete the file: a new key is then created, "
                + "and browsers must be added again as channels."
        case .tokens:
            "If there is no backup, delete the file: a new key is then created, "
                + "and the access tokens issued so far become invalid."
        case .cursors:
            "If there is no backup, delete the file: a new key is then created, "
                + "and the cursors issued so far become invalid."
        case .versions, .storyIDs, .ledger: "If there is no backup, delete the file: a new key is then created."
        }
    }

    /// Writes a key so that after a power cut the file is either complete or absent.
    static func write(_ key: [UInt8], to file: String, in folder: String) throws {
        let unfinished = file + ".new"
        let descriptor = open(unfinished, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        let isWritten =
            descriptor >= 0 && writeBytes(descriptor, key, key.count) == key.count && fsync(descriptor) == 0
        if descriptor >= 0 { close(descriptor) }
        guard isWritten, rename(unfinished, file) == 0 else {
            throw StoreError(.failed, "Cannot write \(file): \(String(cString: strerror(errno))).")
        }
        let directory = open(folder, O_RDONLY | O_CLOEXEC)
        if directory >= 0 {
            fsync(directory)
            close(directory)
        }
    }
}

/// Calls the system's `write` under a name that no method shadows.
private func writeBytes(_ descriptor: Int32, _ bytes: [UInt8], _ count: Int) -> Int {
    write(descriptor, bytes, count)
}
