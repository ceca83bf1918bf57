import Foundation
import Notifications
public import Stories
import Synchronization

/// The list of erasures, withdrawals, endings and narrowings, `PATH.keys/erasures.log`; it outlives the database next to
/// it.
///
/// It is append-only, one entry per line, and each line is on the disk before the database commits the change it
/// records. So an older copy of the database put in its place is brought to the same state before any of it is served.
/// The subject of a line is named only by a keyed digest, and every line carries a code under the same key, so neither
/// a torn line nor a lost key goes unnoticed. Redundant lines are removed when a library is opened; see
/// ``compact(now:)``.
///
/// The lines of one commit stay open, without a line feed after the last, until the database has committed: an open
/// line is never carried out. After a crash the database decides whether they are valid; see
/// ``resolve(token:repairing:)``.
public final class ErasureList: Sendable {
    /// The kind of erasure, withdrawal or ending.
    public enum Kind: String, CaseIterable, Sendable {
        /// The account and everything belonging to it.
        case account
        /// Everything derived from the person's whereabouts, and the consent to it.
        case locationData = "location-data"
        /// The consent to notifications of nearby stories.
        case consent
        /// An API key.
        case key
        /// One sign-in with its refresh tokens, one session of the page, one link to a story or a collection, or one
        /// passkey.
        case signIn = "sign-in"
        /// All sign-ins of a person, and all access tokens issued until then.
        case signOut = "sign-out"
        /// A story deleted by anyone allowed to; it is kept sealed for the retention period.
        case storyDeleted = "story-deleted"
        /// A story deleted for good, immediately.
        case storyPurged = "story-purged"
        /// The end of retention for every story deleted up to the instant of the line.
        case retention
        /// Cancels the line with the same number, which was not carried out or is no longer valid.
        case takenBack = "taken-back"
        /// Records the number of lines up to here, including removed and lost ones; erases nothing.
        case counted
        /// From here on every narrowing is on the list; an older copy of the database cannot be narrowed by it.
        case begun = "narrowings-begun"
        /// Who may see a story, and how exactly; see ``StoryReach``.
        case storyReach = "story-reach"
        /// Who may see a further place of a story, and how exactly; see ``PlaceReach``.
        case placeReach = "place-reach"
        /// Whether all stories of an account are temporarily private.
        case accountHold = "account-hold"
        /// The role of a member of a family, or the end of the membership.
        case membership
        /// The end of an invitation.
        case invitation
        /// Whether a person hides a story from their own views.
        case hide
        /// Whether anything is sent through a channel.
        case channel
        /// What a person does not want to be notified of, and when.
        case silence

        /// The kinds a person requests and gets a receipt for.
        public static let receipts: [Kind] = [.account, .locationData, .consent]
    }

    /// The subject of a line.
    public enum Subject: Hashable, Sendable {
        /// A person.
        case user(UserID)
        /// A story.
        case story(StoryID)
        /// An API key, by its id.
        case key(String)
        /// A sign-in, a session of the page, a link to stories or a passkey, by its id.
        case signIn(String)
        /// All stories kept sealed.
        case retained
        /// A family.
        case family(FamilyID)
        /// A person in a family.
        case member(UserID, FamilyID)
        /// An invitation, by its id.
        case invitation(String)
        /// A story that a person may hide.
        case hidden(StoryID, UserID)
        /// A channel, by its id.
        case channel(String)
        /// A place, by its id.
        case place(String)
        /// A further place of a story, by its id.
        case storyPlace(StoryID)

        /// The text the digest is computed from.
        fileprivate var text: String {
            switch self {
            case .user(let user): "erased|\(user)"
            case .story(let story): "story|\(story)"
            case .key(let id): "key|\(id)"
            case .signIn(let id): "sign-in|\(id)"
            case .retained: "retained"
            case .family(let family): "family|\(family.rawValue)"
            // No id of a user or a family contains a bar.
            case .member(let user, let family): "member|\(user)|\(family.rawValue)"
            case .invitation(let id): "invitation|\(id)"
            case .hidden(let story, let user): "hidden|\(story)|\(user)"
            case .channel(let id): "channel|\(id)"
            case .place(let id): "place|\(id)"
            case .storyPlace(let id): "story-place|\(id)"
            }
        }
    }

    /// One line.
    public struct Entry: Hashable, Sendable {
        /// Its number, 128 bits; for an erasure, the number of the receipt.
        public let id: StoryID
        /// When it was requested; for ``Kind/retention``, the time of the last deletion it covers.
        public let at: Timestamp
        /// The kind.
        public let kind: Kind
        /// A keyed digest of the subject.
        let subject: StoryID
        /// When the subject would have ended anyway; `nil` for never.
        let until: Timestamp?
        /// For a narrowing: the present state of its subject, without spaces; ``unlimited`` if it limits nothing.
        var state: String?
        /// For a narrowing: its number among all lines ever added; 0 until it is added.
        var number = 0
        /// Whether something becomes narrower by it; a line that only follows a widening does not.
        var isWithdrawal = true
    }

    /// The state of a narrowing that limits nothing any more.
    static let unlimited = "-"

    /// A position in the list.
    struct Mark: Equatable {
        fileprivate let size: Int
    }

    let file: String
    let key: [UInt8]
    /// The path of the note that reports lost lines until an operator removes it.
    let lossNote: String
    let contents: Mutex<ErasureLines>
    /// What was announced to whom.
    let announced: AnnouncedList
    /// Whether lines are lost and the note could not be written.
    let isShort = Mutex(false)
    /// The open lines found in the file, as bytes.
    private let tail: [UInt8]

    /// Reads the closed lines of the list in a folder of keys; ``resolve(token:repairing:)`` decides about the open
    /// ones.
    ///
    /// - Throws: ``StoreError`` if the list cannot be read, or if a line does not fit the key.
    init(folder: String, key: [UInt8]) throws {
        file = folder + "/erasures.log"
        lossNote = folder + "/erasures.lost"
        self.key = key
        announced = try AnnouncedList(folder: folder, key: key)
        let (lines, tail) = try ErasureList.read(file, key: key)
        contents = Mutex(lines)
        self.tail = tail
    }

    /// Every valid line, oldest first.
    public var entries: [Entry] { contents.withLock(\.entries) }

    /// Returns the time of the last erasure of a user's account, or `nil` if there was none.
    public func accountErasure(of user: UserID) -> Timestamp? {
        contents.withLock { $0.accounts.isEmpty ? nil : $0.accounts[digest(of: .user(user))] }
    }

    /// Returns the time of the last erasure of all data derived from a user's positions, or `nil` if there was none.
    public func locationErasure(of user: UserID) -> Timestamp? {
        contents.withLock { $0.locations.isEmpty ? nil : $0.locations[digest(of: .user(user))] }
    }

    /// Returns the line of the last deletion of a story, if a valid one exists.
    func deletion(of story: StoryID) -> Entry? {
        contents.withLock { $0.deletions.isEmpty ? nil : $0.deletions[digest(of: .story(story))] }
    }

    /// Creates a line that is not on the list yet; without an `id`, its number is derived from its content.
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

    /// Returns a keyed digest of a line's subject.
    func digest(of subject: Subject) -> StoryID {
        KeyedID.make(secret: key, message: Array(subject.text.utf8))
    }

    /// The current end of the list.
    var mark: Mark { contents.withLock { Mark(size: $0.size) } }

    /// Rewrites the list without redundant lines; returns whether there were any.
    ///
    /// These lines are removed: those whose subject ended by itself at `now` or before; those covered by a later line
    /// about the same subject, including everything that belonged to an erased account; and lines taken back. At most
    /// one line remains for each story deleted for good and each key without an end, and for each person one sign-out,
    /// withdrawal and erasure. Of narrowings one line remains for each subject that is still limited.
    ///
    /// - Throws: ``StoreError`` if it cannot be written; the list is then unchanged.
    public func compact(now: Timestamp) throws -> Bool {
        try contents.withLock { contents in
            guard contents.isWorthCompacting(at: now) else { return false }
            let kept = contents.needed(at: now) + contents.neededNarrowings
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

// The steps of a commit: lines are added, synced to the disk, and closed once the database has committed them.
extension ErasureList {
    /// Adds open lines; they are on the disk once ``sync(since:)`` returns, and valid once ``close()`` does.
    ///
    /// A space character after them holds the place of the line feed that will close them, so that closing needs no
    /// space on the disk.
    ///
    /// - Throws: ``StoreError`` if they cannot be written; the list is then unchanged.
    func add(_ lines: [Entry]) throws {
        guard !lines.isEmpty else { return }
        try contents.withLock { contents in
            let lines = contents.numbered(lines)
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

    /// The token that the database stores with the open lines, to confirm later that it committed them; `nil` if there
    /// are none.
    var token: StoryID? {
        contents.withLock { $0.open.isEmpty ? nil : commitToken($0.open, at: $0.size - $0.open.count) }
    }

    /// Returns a token for open lines; including the start position gives equal lines different tokens.
    private func commitToken(_ open: [UInt8], at start: Int) -> StoryID {
        KeyedID.make(secret: key, message: Array("commit|\(start)|".utf8) + open)
    }

    /// Returns once everything after a mark is on the disk.
    ///
    /// - Throws: ``StoreError`` if the disk fails to store it.
    func sync(since mark: Mark) throws {
        guard self.mark != mark else { return }
        do {
            try ErasureFile.sync(file)
        } catch {
            throw failure(error)
        }
    }

    /// Closes the open lines, which the database has committed; returns once that is on the disk.
    ///
    /// - Throws: ``StoreError`` if the disk fails to store it; the next opening then closes them.
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

    /// Removes everything after a mark, because the database did not commit it.
    ///
    /// This needs no space on the disk.
    ///
    /// - Throws: ``StoreError`` if the file cannot be truncated; the lines then stay open.
    func takeBack(to mark: Mark) throws {
        try contents.withLock { contents in
            guard contents.size > mark.size else { return }
            do {
                try ErasureFile.cut(file, to: mark.size)
                contents = try reread(contents, upTo: mark)
            } catch {
                throw StoreError(.failed, "Nothing was written, but \(file) cannot be truncated (\(error)).")
            }
        }
    }

    /// Forgets everything added after a mark without touching the file.
    ///
    /// Only the next opening can determine whether those lines are valid.
    func leaveOpen(since mark: Mark) {
        contents.withLock { contents in
            guard contents.size > mark.size, let closed = try? reread(contents, upTo: mark) else { return }
            contents = closed
        }
    }

    /// Returns the lines up to a mark, which lies within the open lines or at their start.
    private func reread(_ contents: ErasureLines, upTo mark: Mark) throws -> ErasureLines {
        let kept = Array(contents.open.prefix(mark.size - (contents.size - contents.open.count)))
        var (lines, _) = try ErasureList.read(file, key: key)
        for entry in try ErasureList.entries(kept.dropLast(), file: file, key: key) { lines.add(entry) }
        lines.size = mark.size
        lines.open = kept
        return lines
    }

    /// Decides about lines left open by a crash or an I/O error.
    ///
    /// They are valid if the database committed them, that is, if `token` was made from these lines; otherwise they are
    /// removed. Without `repairing` the file is left unchanged.
    ///
    /// - Throws: ``StoreError`` if the file cannot be written.
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
