import Foundation
import Notifications
public import Stories
import Synchronization

/// The list of what was erased, withdrawn and ended, `PATH.keys/erasures.log`: it outlives the database it lies beside.
///
/// Append-only, one line each, on the disk before the database commits what it says: an older copy of the database put
/// in its place is brought to the same state before anything of it is served. What a line is about is named by a keyed
/// digest alone, and every line carries a code under the same key, so that neither a torn line nor a lost key goes
/// unnoticed. Lines that say nothing any more go when a library is opened: see ``compact(now:)``.
public final class ErasureList: Sendable {
    /// What was erased, withdrawn or ended.
    public enum Kind: String, CaseIterable, Sendable {
        /// The account with everything of it.
        case account
        /// Everything derived from the person's whereabouts, and the consent to it.
        case locationData = "location-data"
        /// The consent to being told of nearby stories.
        case consent
        /// An API key.
        case key
        /// One sign-in with its refresh tokens.
        case signIn = "sign-in"
        /// All sign-ins of a person, and the access tokens issued before.
        case signOut = "sign-out"
        /// A story, deleted by whoever may; it is kept sealed for the retention.
        case storyDeleted = "story-deleted"
        /// A story, deleted for good at once.
        case storyPurged = "story-purged"
        /// The retention of every story deleted up to the instant of the line.
        case retention
        /// Nothing: the line of the same number was not carried out, or holds no more.
        case takenBack = "taken-back"

        /// Those that a person asks for and gets a receipt of.
        public static let receipts: [Kind] = [.account, .locationData, .consent]
    }

    /// What a line is about.
    public enum Subject: Hashable, Sendable {
        /// A person.
        case user(UserID)
        /// A story.
        case story(StoryID)
        /// An API key, by its id.
        case key(String)
        /// A sign-in, by its id.
        case signIn(String)
        /// All stories that are kept sealed.
        case retained

        /// What the digest is of.
        fileprivate var text: String {
            switch self {
            case .user(let user): "erased|\(user)"
            case .story(let story): "story|\(story)"
            case .key(let id): "key|\(id)"
            case .signIn(let id): "sign-in|\(id)"
            case .retained: "retained"
            }
        }
    }

    /// One line.
    public struct Entry: Hashable, Sendable {
        /// Its number, 128 bits; of an erasure the number of the receipt.
        public let id: StoryID
        /// When it was asked for; of ``Kind/retention`` the last deletion that it ends.
        public let at: Timestamp
        /// What.
        public let kind: Kind
        /// A keyed digest of what it is about.
        let subject: StoryID
        /// When what it ends would have ended by itself; `nil` for never.
        let until: Timestamp?
    }

    /// How far the list goes.
    struct Mark: Equatable {
        fileprivate let size: Int
    }

    private let file: String
    private let key: [UInt8]
    private let contents: Mutex<ErasureLines>

    /// Reads the list in a folder of keys; a line that a power cut tore is taken away when `repairing`.
    ///
    /// - Throws: ``StoreError`` when it cannot be read, or not with this key.
    init(folder: String, key: [UInt8], repairing: Bool) throws {
        file = folder + "/erasures.log"
        self.key = key
        contents = Mutex(try ErasureList.read(file, key: key, repairing: repairing))
    }

    /// Every line that holds, the oldest first.
    public var entries: [Entry] { contents.withLock(\.entries) }

    /// When the account of a user was erased last, or `nil`.
    public func accountErasure(of user: UserID) -> Timestamp? {
        contents.withLock { $0.accounts.isEmpty ? nil : $0.accounts[digest(of: .user(user))] }
    }

    /// When everything derived from the whereabouts of a user was erased last, or `nil`.
    public func locationErasure(of user: UserID) -> Timestamp? {
        contents.withLock { $0.locations.isEmpty ? nil : $0.locations[digest(of: .user(user))] }
    }

    /// The line by which a story was deleted last, if there is one that holds.
    func deletion(of story: StoryID) -> Entry? {
        contents.withLock { $0.deletions.isEmpty ? nil : $0.deletions[digest(of: .story(story))] }
    }

    /// A line that is not on the list yet; without an `id` its number is a function of what it says.
    public func entry(
        _ kind: Kind,
        of subject: Subject,
        at now: Timestamp,
        until: Timestamp? = nil,
        id: StoryID? = nil
    ) -> Entry {
        let digest = digest(of: subject)
        let said = "number|\(kind.rawValue)|\(digest)|\(now.milliseconds)"
        let number = id ?? KeyedID.make(secret: key, message: Array(said.utf8))
        return Entry(id: number, at: now, kind: kind, subject: digest, until: until)
    }

    /// A keyed digest of what a line is about.
    func digest(of subject: Subject) -> StoryID {
        KeyedID.make(secret: key, message: Array(subject.text.utf8))
    }

    /// How far the list goes now.
    var mark: Mark { contents.withLock { Mark(size: $0.size) } }

    /// Adds lines; they are on the disk once ``sync(since:)`` returns.
    ///
    /// - Throws: ``StoreError`` when they cannot be written; the list is as before then.
    func add(_ lines: [Entry]) throws {
        guard !lines.isEmpty else { return }
        try contents.withLock { contents in
            let bytes = Array(lines.map { text(of: $0) }.joined().utf8)
            do {
                try ErasureFile.append(bytes, to: file, at: contents.size)
            } catch {
                throw StoreError(.failed, "Cannot write \(file): \(error). Nothing was erased.")
            }
            for line in lines { contents.add(line) }
            contents.size += bytes.count
        }
    }

    /// Returns when everything after a mark is on the disk.
    ///
    /// - Throws: ``StoreError`` when the disk does not take it.
    func sync(since mark: Mark) throws {
        guard self.mark != mark else { return }
        do {
            try ErasureFile.sync(file)
        } catch {
            throw StoreError(.failed, "Cannot write \(file): \(error). Nothing was erased.")
        }
    }

    /// Takes away everything after a mark: the database did not commit what it says.
    ///
    /// It needs no room on the disk.
    ///
    /// - Throws: ``StoreError`` when the file cannot be cut; what the lines say is then done at the next opening.
    func takeBack(to mark: Mark) throws {
        try contents.withLock { contents in
            guard contents.size > mark.size else { return }
            do {
                try ErasureFile.cut(file, to: mark.size)
                contents = try ErasureList.read(file, key: key, repairing: false)
            } catch {
                throw StoreError(
                    .failed,
                    "Nothing was written, but \(file) says it was (\(error)): it is done when the database is next opened."
                )
            }
        }
    }

    /// Writes the list anew without the lines that say nothing any more; returns whether there were any.
    ///
    /// These go: what ended by itself at `now` or before; what a later line about the same says as well, all that an
    /// erased account had among it; lines taken back. What stays is at most one line for each story deleted for good,
    /// key without an end, and for each person one sign-out, withdrawal and erasure.
    ///
    /// - Throws: ``StoreError`` when it cannot be written; the list is as before then.
    public func compact(now: Timestamp) throws -> Bool {
        try contents.withLock { contents in
            let kept = contents.needed(at: now)
            guard kept.count < contents.count else { return false }
            let bytes = Array(kept.map { text(of: $0) }.joined().utf8)
            do {
                try ErasureFile.replace(file, by: bytes)
            } catch {
                throw StoreError(.failed, "Cannot write \(file): \(error).")
            }
            contents = ErasureLines(kept, size: bytes.count)
            return true
        }
    }
}

// How a line is written.
extension ErasureList {
    private func text(of entry: Entry) -> String {
        var said = "\(entry.until == nil ? 1 : 2) \(entry.id) \(entry.at.milliseconds) \(entry.kind.rawValue)"
        said += " \(entry.subject)"
        if let until = entry.until { said += " \(until.milliseconds)" }
        return said + " \(ErasureList.code(of: said, key: key))\n"
    }

    private static func code(of line: String, key: [UInt8]) -> StoryID {
        KeyedID.make(secret: key, message: Array("line|\(line)".utf8))
    }

    private static func read(_ file: String, key: [UInt8], repairing: Bool) throws -> ErasureLines {
        let bytes = try ErasureFile.read(file)
        let end = bytes.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        var lines = ErasureLines([], size: end)
        for (number, line) in bytes[..<end].split(separator: UInt8(ascii: "\n")).enumerated() {
            guard let entry = entry(line, key: key) else {
                throw StoreError(
                    .failed,
                    "Line \(number + 1) of \(file) does not fit the erasures.key beside it. Restore both from one backup: "
                        + "without them what was erased could come back with an older database."
                )
            }
            lines.add(entry)
        }
        if repairing, end < bytes.count { try? ErasureFile.cut(file, to: end) }
        return lines
    }

    /// Version 1: number, time, kind, subject, code; version 2 has an end before the code.
    private static func entry(_ line: ArraySlice<UInt8>, key: [UInt8]) -> Entry? {
        let words = String(decoding: line, as: UTF8.self).split(separator: " ", omittingEmptySubsequences: false)
        guard let version = words.first, version == "1" || version == "2", words.count == (version == "1" ? 6 : 7),
            let id = StoryID(words[1]), let time = Int64(words[2]), let kind = Kind(rawValue: String(words[3])),
            let subject = StoryID(words[4]), let code = words.last.flatMap({ StoryID($0) }),
            code == ErasureList.code(of: words.dropLast().joined(separator: " "), key: key)
        else { return nil }
        var until: Timestamp?
        if version == "2" {
            guard let end = Int64(words[5]) else { return nil }
            until = Timestamp(milliseconds: end)
        }
        return Entry(id: id, at: Timestamp(milliseconds: time), kind: kind, subject: subject, until: until)
    }
}
