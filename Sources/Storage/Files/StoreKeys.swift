import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The secrets of an installation.
///
/// What must stay true when the database file is moved alone (which story an import made, who was told what) is keyed
/// by secrets inside the file; the others lie in `PATH.keys/` (0700) beside it, outside its backups, and can be made anew.
public struct StoreKeys: Sendable {
    /// What a key is for.
    public enum Name: String, CaseIterable, Sendable {
        /// Turns (owner, source, source id) into the id of an imported story; inside the database.
        case storyIDs = "story-ids"
        /// Keys what the ledger remembers; inside the database.
        case ledger
        /// Keys the digests that map versions are sums of.
        case versions
        /// Signs cursors.
        case cursors
        /// Signs the tokens of the built-in issuer (HS256).
        case tokens
        /// Names persons in the list of erasures, and signs receipts.
        case erasures
        /// Seals the stories that were deleted but are kept for the retention.
        case sealing
        /// Seals the addresses and secrets of channels.
        case channels
        /// The private key by which push services of browsers know this service.
        case vapid

        /// Whether the key lies in a file beside the database, of this name and `.key`.
        var isBeside: Bool { self != .storyIDs && self != .ledger }
    }

    private let keys: [Name: [UInt8]]

    /// Whether the keys outlive this process; false for a reader of a database that has none beside it.
    public let arePermanent: Bool

    /// Those that were not beside the database when it was opened.
    let madeAnew: [Name]

    /// Joins the keys from inside a database with those beside it, making the latter where they are missing.
    ///
    /// With `creating` false nothing is written: missing keys live in memory only.
    ///
    /// - Throws: ``StoreError`` when a key cannot be read or written, or has fewer than 32 bytes.
    init(inside: [Name: [UInt8]], besideDatabase path: String, creating: Bool) throws {
        let folder = path + ".keys"
        var keys = inside
        var arePermanent = true
        var madeAnew: [Name] = []
        if creating, mkdir(folder, 0o700) != 0, errno != EEXIST {
            throw StoreError(.failed, "Cannot make the folder \(folder): \(String(cString: strerror(errno))).")
        }
        for name in Name.allCases where name.isBeside {
            let file = "\(folder)/\(name.rawValue).key"
            if let key = try StoreKeys.read(name, file) {
                keys[name] = key
            } else {
                keys[name] = StoreKeys.random()
                madeAnew.append(name)
                if creating { try StoreKeys.write(keys[name] ?? [], to: file, in: folder) }
                arePermanent = arePermanent && creating
            }
        }
        self.keys = keys
        self.arePermanent = arePermanent
        self.madeAnew = madeAnew
    }

    /// The bytes of a key, at least 32.
    public subscript(name: Name) -> [UInt8] { keys[name] ?? [] }

    /// The first 16 bytes of a key as two integers, for keyed hashes in memory.
    public func integers(_ name: Name) -> (UInt64, UInt64) {
        let bytes = self[name]
        func integer(_ range: Range<Int>) -> UInt64 { bytes[range].reduce(0) { $0 << 8 | UInt64($1) } }
        return bytes.count >= 16 ? (integer(0..<8), integer(8..<16)) : (0, 0)
    }

    /// 32 bytes from the system's generator.
    static func random() -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }

    private static func read(_ name: Name, _ file: String) throws -> [UInt8]? {
        let descriptor = open(file, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            // Only what is not there is made: a folder that may not be looked into can hold it.
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

    /// What can be wrong with the file of a key.
    package enum Fault: Sendable {
        /// The system does not let it be read, for this reason (`errno`).
        case unreadable(Int32)
        /// It holds so few bytes.
        case damaged(Int)
    }

    /// What is wrong with a key and what to do.
    package static func advice(on name: Name, in file: String, _ fault: Fault) -> String {
        switch fault {
        case .unreadable(let code) where code == EACCES || code == EPERM:
            "\(file) may not be read by this user (\(String(cString: strerror(code)))). Start waymark as the user it belongs "
                + "to, or give it to the one that runs waymark (chown, chmod 600; the folder 700). Do not delete it: "
                + "nothing is wrong with what it holds."
        case .unreadable(let code):
            "\(file) cannot be read (\(String(cString: strerror(code)))). Check the disk, or restore it from a backup of the "
                + "folder of keys. " + withoutBackup(name)
        case .damaged(let count):
            "\(file) is damaged: it holds \(count) bytes instead of 32. Restore it from a backup of the folder of keys. "
                + withoutBackup(name)
        }
    }

    private static func withoutBackup(_ name: Name) -> String {
        switch name {
        case .erasures:
            "If there is none, move it and the erasures.log beside it, which only it can read, out of the folder: a new "
                + "list is begun then, and older copies of the database must be destroyed, because they bring back what was "
                + "erased since."
        case .sealing: "If there is none, delete it to make a new one: stories deleted so far cannot be restored then."
        case .channels: "If there is none, delete it to make a new one: people have to add their channels again then."
        case .vapid: "If there is none, delete it to make a new one: browsers have to be added again as channels then."
        case .tokens: "If there is none, delete it to make a new one: the access tokens issued so far end then."
        case .cursors: "If there is none, delete it to make a new one: cursors given out so far end then."
        case .versions, .storyIDs, .ledger: "If there is none, delete it to make a new one."
        }
    }

    /// Writes a key so that after a power cut the file is whole or not there.
    private static func write(_ key: [UInt8], to file: String, in folder: String) throws {
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

/// The system's `write`, under a name that no method shadows.
private func writeBytes(_ descriptor: Int32, _ bytes: [UInt8], _ count: Int) -> Int {
    write(descriptor, bytes, count)
}
