import Foundation
import Notifications
public import Stories
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The list of what was erased and withdrawn, `PATH.keys/erasures.log`: it outlives the database it lies beside.
///
/// Append-only, one line each, on the disk before the database commits what it says: an older copy of the database put
/// in its place is brought to the same state before anything of it is served. A person is named by a keyed digest
/// alone, and every line carries a code under the same key, so that neither a torn line nor a lost key goes unnoticed.
public final class ErasureList: Sendable {
    /// What was erased or withdrawn.
    public enum Kind: String, CaseIterable, Sendable {
        /// The account with everything of it.
        case account
        /// Everything derived from the person's whereabouts, and the consent to it.
        case locationData = "location-data"
        /// The consent to being told of nearby stories.
        case consent
        /// Nothing: the line of the same number was not carried out.
        case takenBack = "taken-back"
    }

    /// One line.
    public struct Entry: Hashable, Sendable {
        /// The number of the receipt, 128 random bits.
        public let id: StoryID
        /// When it was asked for.
        public let at: Timestamp
        /// What.
        public let kind: Kind
        /// A keyed digest of the person's id.
        let person: StoryID
    }

    private struct Contents: Sendable {
        var entries: [Entry] = []
        /// When the account of a digest was erased last.
        var accounts: [StoryID: Timestamp] = [:]

        mutating func add(_ entry: Entry) {
            if entry.kind == .takenBack {
                entries.removeAll { $0.id == entry.id }
                accounts = [:]
                for entry in entries { note(entry) }
            } else {
                entries.append(entry)
                note(entry)
            }
        }

        private mutating func note(_ entry: Entry) {
            guard entry.kind == .account else { return }
            accounts[entry.person] = max(accounts[entry.person] ?? entry.at, entry.at)
        }
    }

    private let file: String
    private let key: [UInt8]
    private let contents: Mutex<Contents>

    /// Reads the list in a folder of keys; a line that a power cut tore is taken away when `repairing`.
    ///
    /// - Throws: ``StoreError`` when it cannot be read, or not with this key.
    init(folder: String, key: [UInt8], repairing: Bool) throws {
        file = folder + "/erasures.log"
        self.key = key
        var read = Contents()
        let bytes = [UInt8](FileManager.default.contents(atPath: file) ?? Data())
        if bytes.isEmpty, FileManager.default.fileExists(atPath: file), access(file, R_OK) != 0 {
            throw StoreError(.failed, "\(file) cannot be read. Check its permissions.")
        }
        let end = bytes.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        for (number, line) in bytes[..<end].split(separator: UInt8(ascii: "\n")).enumerated() {
            guard let entry = ErasureList.entry(line, key: key) else {
                throw StoreError(
                    .failed,
                    "Line \(number + 1) of \(file) does not fit \(folder)/erasures.key. Restore both from one backup: "
                        + "without them what was erased could come back with an older database."
                )
            }
            read.add(entry)
        }
        if repairing, end < bytes.count { _ = truncate(file, off_t(end)) }
        contents = Mutex(read)
    }

    /// Every line, the oldest first.
    public var entries: [Entry] { contents.withLock(\.entries) }

    /// When the account of a user was erased last, or `nil`.
    public func accountErasure(of user: UserID) -> Timestamp? {
        contents.withLock { $0.accounts.isEmpty ? nil : $0.accounts[digest(of: user)] }
    }

    /// Whether an entry is about a user.
    public func concerns(_ entry: Entry, _ user: UserID) -> Bool { entry.person == digest(of: user) }

    /// Adds a line and returns when it is on the disk; call it before the transaction that does what it says commits.
    ///
    /// - Throws: ``StoreError`` when it cannot be written; the list is as before then.
    public func append(_ kind: Kind, of user: UserID, at now: Timestamp, id: StoryID) throws -> Entry {
        let entry = Entry(id: id, at: now, kind: kind, person: digest(of: user))
        try contents.withLock { contents in
            try write(Array((text(of: entry) + "\n").utf8))
            contents.add(entry)
        }
        return entry
    }

    /// Adds a line that ends the one with the number `id`, if there is one: the database did not commit what it says.
    ///
    /// - Throws: ``StoreError`` when it cannot be written.
    public func takeBack(_ id: StoryID, at now: Timestamp) throws {
        try contents.withLock { contents in
            guard let entry = contents.entries.last(where: { $0.id == id }) else { return }
            let end = Entry(id: id, at: now, kind: .takenBack, person: entry.person)
            try write(Array((text(of: end) + "\n").utf8))
            contents.add(end)
        }
    }

    private func write(_ line: [UInt8]) throws {
        let isNew = !FileManager.default.fileExists(atPath: file)
        let descriptor = open(file, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
        defer { if descriptor >= 0 { close(descriptor) } }
        let before = descriptor >= 0 ? lseek(descriptor, 0, SEEK_END) : -1
        guard before >= 0, systemWrite(descriptor, line, line.count) == line.count, fsync(descriptor) == 0 else {
            let reason = String(cString: strerror(errno))
            if before >= 0 { _ = ftruncate(descriptor, before) }
            throw StoreError(.failed, "Cannot write \(file): \(reason). Nothing was erased.")
        }
        guard isNew else { return }
        let folder = open(String(file.dropLast("/erasures.log".count)), O_RDONLY | O_CLOEXEC)
        guard folder >= 0 else { return }
        fsync(folder)
        close(folder)
    }

    private func text(of entry: Entry) -> String {
        let said = "1 \(entry.id) \(entry.at.milliseconds) \(entry.kind.rawValue) \(entry.person)"
        return said + " \(ErasureList.code(of: said, key: key))"
    }

    private func digest(of user: UserID) -> StoryID {
        KeyedID.make(secret: key, message: Array("erased|\(user)".utf8))
    }

    private static func code(of line: String, key: [UInt8]) -> StoryID {
        KeyedID.make(secret: key, message: Array("line|\(line)".utf8))
    }

    private static func entry(_ line: ArraySlice<UInt8>, key: [UInt8]) -> Entry? {
        let text = String(decoding: line, as: UTF8.self)
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 6, words[0] == "1", let id = StoryID(words[1]), let time = Int64(words[2]),
            let kind = Kind(rawValue: String(words[3])), let person = StoryID(words[4]), let code = StoryID(words[5]),
            code == ErasureList.code(of: words[..<5].joined(separator: " "), key: key)
        else { return nil }
        return Entry(id: id, at: Timestamp(milliseconds: time), kind: kind, person: person)
    }
}

/// The system's `write`, under a name that no method shadows.
private func systemWrite(_ descriptor: Int32, _ bytes: [UInt8], _ count: Int) -> Int {
    write(descriptor, bytes, count)
}
