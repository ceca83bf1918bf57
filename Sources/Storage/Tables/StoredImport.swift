import Foundation
import GRDB
public import Stories

/// An import as it is recorded: where its stories came from, and what became of them.
public struct StoredImport: Hashable, Sendable {
    /// Where the stories of an import came from.
    public struct Origin: Hashable, Sendable {
        /// The owner of the stories.
        public let owner: UserID
        /// The name of the source, which with a row's id identifies a story.
        public let source: String
        /// The name of the file, without its folder.
        public let file: String
        /// The SHA-256 of the file as it was.
        public let digest: [UInt8]

        /// Creates an origin.
        public init(owner: UserID, source: String, file: String, digest: [UInt8]) {
            (self.owner, self.source, self.file, self.digest) = (owner, source, file, digest)
        }
    }

    /// What became of an import.
    public enum State: String, CaseIterable, Hashable, Sendable {
        /// It is being stored.
        case running
        /// It is stored.
        case complete
        /// Its file could not be read, or was not stored for another reason; nothing changed.
        case refused
        /// Its process ended before it was stored completely.
        case interrupted
        /// It is being undone, or that was interrupted.
        case undoing
        /// It was undone.
        case undone
    }

    /// Numbers of stories.
    public struct Counts: Hashable, Sendable {
        /// The new stories.
        public var created = 0
        /// The stories that were there and changed.
        public var changed = 0
        /// The rows without a change.
        public var unchanged = 0
        /// The rows with errors, which were skipped.
        public var refused = 0
        /// The stories that were removed, because the source no longer had them.
        public var removed = 0

        /// Creates counts of zero.
        public init() {}
    }

    /// When an import began and ended, and when it was undone.
    public struct Times: Hashable, Sendable {
        /// When it began.
        public let started: Timestamp
        /// When it ended.
        public let ended: Timestamp?
        /// When it was last undone.
        public let undone: Timestamp?
    }

    /// Its number, by which operators name it; counted over all users, so nobody else may see it.
    public let number: Int64
    /// Its id for its owner: 32 hexadecimal digits.
    public let id: String
    /// Where its stories came from.
    public let origin: Origin
    /// The format of the file; `nil` if it was not determined.
    public let format: String?
    /// What became of it.
    public let state: State
    /// When.
    public let times: Times
    /// The numbers of stories.
    public let counts: Counts
    /// The first problems of the file, as JSON; `nil` without any.
    public let problems: String?

    init?(_ row: Row) {
        guard let owner = UserID(row["owner"] as String), let state = State(rawValue: row["state"]) else { return nil }
        number = row["number"]
        id = row["id"]
        origin = Origin(
            owner: owner,
            source: row["source"],
            file: row["file"],
            digest: [UInt8](row["digest"] as Data)
        )
        format = row["format"]
        self.state = state
        func time(_ column: String) -> Timestamp? {
            (row[column] as Int64?).map { Timestamp(milliseconds: $0) }
        }
        times = Times(
            started: Timestamp(milliseconds: row["started_ms"]),
            ended: time("ended_ms"),
            undone: time("undone_ms")
        )
        var counts = Counts()
        counts.created = row["created"]
        counts.changed = row["changed"]
        counts.unchanged = row["unchanged"]
        counts.refused = row["refused"]
        counts.removed = row["removed"]
        self.counts = counts
        problems = row["problems"]
    }
}

/// A story as it was before an import changed it, with its import data.
public struct StoryBefore: Sendable {
    /// The story, without its picture.
    public let story: Story
    let digest: Data?
    let place: String?

    init(bytes: [UInt8]) throws {
        let frozen = try FrozenStory(bytes: bytes)
        story = frozen.story
        let details = Dictionary(frozen.details.map { ($0.column, $0.value) }, uniquingKeysWith: { $1 })
        digest = details["import_digest"].flatMap { Data.fromDatabaseValue($0) }
        place = details["import_place"].flatMap { String.fromDatabaseValue($0) }
    }
}
