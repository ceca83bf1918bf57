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
///
/// The lines of one commit stay open, without a line feed after the last, until the database has committed: an open
/// line is never carried out. After a crash the database says whether they hold; see ``resolve(token:repairing:)``.
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
        /// Nothing: how many lines there were up to here, those that went or were lost among them.
        case counted

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

    let file: String
    private let key: [UInt8]
    /// Says that lines are lost, until an operator removes it.
    let lossNote: String
    let contents: Mutex<ErasureLines>
    /// Whether lines are lost that could not be noted.
    let isShort = Mutex(false)
    /// The open lines that were found in the file, as bytes.
    private let tail: [UInt8]

    /// Reads the closed lines of the list in a folder of keys; ``resolve(token:repairing:)`` decides about the open ones.
    ///
    /// - Throws: ``StoreError`` when it cannot be read, or not with this key.
    init(folder: String, key: [UInt8]) throws {
        file = folder + "/erasures.log"
        lossNote = folder + "/erasures.lost"
        self.key = key
        let (lines, tail) = try ErasureList.read(file, key: key)
        contents = Mutex(lines)
        self.tail = tail
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
            let lines = [count(of: contents.total - kept.count, at: now)] + kept
            let bytes = Array(lines.map { text(of: $0) + "\n" }.joined().utf8)
            do {
                try ErasureFile.replace(file, by: bytes)
            } catch {
                throw StoreError(.failed, "Cannot write \(file): \(error).")
            }
            contents = ErasureLines(lines, size: bytes.count)
            return true
        }
    }
}

// What a commit does to the list: its lines are added, put on the disk, and closed once the database has them.
extension ErasureList {
    /// Adds open lines; they are on the disk once ``sync(since:)`` returns, and hold once ``close()`` does.
    ///
    /// A blank keeps the place of the line feed that closes them, so that closing needs no room on the disk.
    ///
    /// - Throws: ``StoreError`` when they cannot be written; the list is as before then.
    func add(_ lines: [Entry]) throws {
        guard !lines.isEmpty else { return }
        try contents.withLock { contents in
            let words = lines.map { text(of: $0) }.joined(separator: ErasureList.goesOn + "\n") + " "
            let bytes = Array(((contents.open.isEmpty ? "" : "+\n") + words).utf8)
            do {
                try ErasureFile.append(bytes, to: file, at: contents.size)
            } catch {
                throw failure(error)
            }
            for line in lines { contents.add(line) }
            contents.size += bytes.count
            contents.open += bytes
        }
    }

    /// What the database has to store with the open lines, to say later that it committed them; `nil` without any.
    var token: StoryID? {
        contents.withLock { $0.open.isEmpty ? nil : commitToken($0.open, at: $0.size - $0.open.count) }
    }

    /// Where they begin makes tokens of the same words different.
    private func commitToken(_ open: [UInt8], at start: Int) -> StoryID {
        KeyedID.make(secret: key, message: Array("commit|\(start)|".utf8) + open)
    }

    /// Returns when everything after a mark is on the disk.
    ///
    /// - Throws: ``StoreError`` when the disk does not take it.
    func sync(since mark: Mark) throws {
        guard self.mark != mark else { return }
        do {
            try ErasureFile.sync(file)
        } catch {
            throw failure(error)
        }
    }

    /// Closes the open lines, which the database has committed; returns when that is on the disk.
    ///
    /// - Throws: ``StoreError`` when the disk does not take it; the next opening closes them then.
    func close() throws {
        try contents.withLock { contents in
            guard !contents.open.isEmpty else { return }
            contents.open = []
            do {
                try ErasureFile.put(UInt8(ascii: "\n"), in: file, at: contents.size - 1)
            } catch {
                throw failure(error)
            }
        }
    }

    /// Takes away everything after a mark: the database did not commit what it says.
    ///
    /// It needs no room on the disk.
    ///
    /// - Throws: ``StoreError`` when the file cannot be cut; the lines stay open then.
    func takeBack(to mark: Mark) throws {
        try contents.withLock { contents in
            guard contents.size > mark.size else { return }
            do {
                try ErasureFile.cut(file, to: mark.size)
                contents = try reread(contents, upTo: mark)
            } catch {
                throw StoreError(.failed, "Nothing was written, but \(file) cannot be cut (\(error)).")
            }
        }
    }

    /// Forgets what was added after a mark without touching the file: nobody knows whether it holds before the next
    /// opening.
    func leaveOpen(since mark: Mark) {
        contents.withLock { contents in
            guard contents.size > mark.size, let closed = try? reread(contents, upTo: mark) else { return }
            contents = closed
        }
    }

    /// The lines up to a mark, which is within the open ones or at their beginning.
    private func reread(_ contents: ErasureLines, upTo mark: Mark) throws -> ErasureLines {
        let kept = Array(contents.open.prefix(mark.size - (contents.size - contents.open.count)))
        var (lines, _) = try ErasureList.read(file, key: key)
        for entry in try ErasureList.entries(kept.dropLast(), file: file, key: key) { lines.add(entry) }
        lines.size = mark.size
        lines.open = kept
        return lines
    }

    /// Decides about lines that were left open by a crash or an I/O error: they hold if the database committed them,
    /// which is when `token` is theirs, and go otherwise.
    ///
    /// Without `repairing` the file stays as it is.
    ///
    /// - Throws: ``StoreError`` when the file cannot be written.
    func resolve(token stored: StoryID?, repairing: Bool) throws {
        guard !tail.isEmpty else { return }
        try contents.withLock { contents in
            do {
                if let stored, stored == commitToken(tail, at: contents.size) {
                    for entry in try ErasureList.entries(tail.dropLast(), file: file, key: key) { contents.add(entry) }
                    contents.size += tail.count
                    if repairing { try ErasureFile.put(UInt8(ascii: "\n"), in: file, at: contents.size - 1) }
                } else if repairing {
                    try ErasureFile.cut(file, to: contents.size)
                }
            } catch let error as ErasureFile.Failure {
                throw failure(error)
            }
        }
    }

    private func failure(_ error: any Error) -> StoreError {
        if (error as? ErasureFile.Failure)?.isFull == true {
            return StoreError(.diskFull, "The disk is full; \(file) cannot be written. Nothing was erased.")
        }
        return StoreError(.failed, "Cannot write \(file): \(error). Nothing was erased.")
    }
}

// How a line is written.
extension ErasureList {
    func text(of entry: Entry) -> String {
        var said = "\(entry.until == nil ? 1 : 2) \(entry.id) \(entry.at.milliseconds) \(entry.kind.rawValue)"
        said += " \(entry.subject)"
        if let until = entry.until { said += " \(until.milliseconds)" }
        return said + " \(ErasureList.code(of: said, key: key))"
    }

    private static func code(of line: String, key: [UInt8]) -> StoryID {
        KeyedID.make(secret: key, message: Array("line|\(line)".utf8))
    }

    /// The closed lines of a file, and the bytes of the open ones behind them.
    private static func read(_ file: String, key: [UInt8]) throws -> (lines: ErasureLines, tail: [UInt8]) {
        let bytes = try ErasureFile.read(file)
        let end = closedEnd(of: bytes)
        var lines = ErasureLines([], size: end)
        for entry in try entries(bytes[..<end], file: file, key: key) { lines.add(entry) }
        return (lines, Array(bytes[end...]))
    }

    /// Where the last line ends that is closed: by a line feed, without the mark that says it goes on.
    private static func closedEnd(of bytes: [UInt8]) -> Int {
        var end = bytes.count
        while let feed = bytes[..<end].lastIndex(of: UInt8(ascii: "\n")) {
            guard bytes[..<feed].suffix(2).elementsEqual(goesOn.utf8) else { return feed + 1 }
            end = feed
        }
        return 0
    }

    private static func entries(_ bytes: ArraySlice<UInt8>, file: String, key: [UInt8]) throws -> [Entry] {
        try bytes.split(separator: UInt8(ascii: "\n")).enumerated()
            .map { number, line in
                let isOpen = line.suffix(2).elementsEqual(goesOn.utf8)
                guard let entry = entry(isOpen ? line.dropLast(2) : line, key: key) else {
                    throw StoreError(
                        .failed,
                        "Line \(number + 1) of \(file) does not fit the erasures.key beside it. Restore both from one "
                            + "backup: without them what was erased could come back with an older database."
                    )
                }
                return entry
            }
    }

    /// What stands behind a line of a commit that has more of them.
    private static let goesOn = " +"

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
