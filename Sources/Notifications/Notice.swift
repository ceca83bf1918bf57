public import Geometry
public import Stories

/// The content and text of one notification before it is stored.
public struct Notice: Hashable, Sendable {
    /// One place of a notice.
    public struct Group: Hashable, Sendable {
        /// The name of the place.
        public let placeName: String
        /// The position of the place.
        public let place: Coordinate
        /// The named place that gave the group its name, or `nil`.
        public let namedPlace: NamedPlaceID?
        /// The stories there, sorted by id, at least one.
        public let stories: [NearbyStory]
        /// The smallest id among the places of the stories, independent of which place was entered.
        public let key: PlaceID
    }

    /// How the place was reached: entered, if any of the places was.
    public let kind: FeedItem.Kind
    /// The time of the earliest deciding fix.
    public let at: Timestamp
    /// The latest time at which the window of the visits closes and the notice must be written.
    public let readyAt: Timestamp
    /// The places: one, or several that were entered together if there were more than ``NoticeOptions/separatePlaces``.
    public let groups: [Group]
    /// The name of the place, or of the area around several places.
    public let placeName: String
    /// The position of the place; that of the first place entered if there are several.
    public let place: Coordinate
    /// All stories, sorted by id.
    public let stories: [NearbyStory]
    /// The headline.
    public let title: String
    /// The text below the headline.
    public let body: String
    /// The evaluator's confidence, 0...1.
    public let confidence: Double
    /// Whether it comes from a recorded or simulated trace.
    public let isSimulated: Bool

    /// The smallest place id of all groups.
    public var groupKey: PlaceID { groups.map(\.key).min() ?? PlaceID(place) }

    /// The named place that gave it its name; `nil` if there is none, or for an area of several places.
    public var namedPlace: NamedPlaceID? { groups.count == 1 ? groups.first?.namedPlace : nil }

    /// The number of stories of each kind.
    public var counts: NoticeCounts { NoticeCounts(stories.map(\.kind)) }

    /// The stories in the form of the feed.
    public var content: [FeedItem.Content] {
        stories.map { FeedItem.Content(id: $0.id, sourceID: $0.sourceID, place: $0.further?.place) }
    }

    /// Returns the ledger entries of this notice; it is announced only if all of them are new.
    public func ledgerEntries(for user: UserID) -> [LedgerEntry] {
        stories.map { LedgerEntry(user: user, story: $0.id, locationEpoch: $0.locationEpoch) }
    }

    /// Returns the bytes whose keyed digest is the notification's id: a canonical encoding of user, places and content.
    ///
    /// Time and device are excluded, so that a repetition has the same id. The encoding is `waymark notice 1`, a zero
    /// byte, the length of the user's id in one byte, the user's id and the eight bytes of ``groupKey``; then, for
    /// every story in order of id, the 16 bytes of its id and the eight bytes of its location epoch. Numbers are
    /// big-endian.
    public func identityBytes(user: UserID) -> [UInt8] {
        var bytes = Array("waymark notice 1".utf8) + [0]
        let name = Array(user.rawValue.utf8)
        bytes.append(UInt8(clamping: name.count))
        bytes += name
        append(groupKey.rawValue, to: &bytes)
        for story in stories {
            append(story.id.high, to: &bytes)
            append(story.id.low, to: &bytes)
            append(UInt64(bitPattern: Int64(story.locationEpoch)), to: &bytes)
        }
        return bytes
    }

    private func append(_ value: UInt64, to bytes: inout [UInt8]) {
        for shift in stride(from: 56, through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: value >> UInt64(shift)))
        }
    }
}

/// The number of stories of each kind in a notice.
public struct NoticeCounts: Hashable, Sendable {
    /// The kinds present, with their counts.
    public let kinds: [StoryKind: Int]
    /// The total count.
    public let total: Int

    /// Counts the kinds in a sequence.
    public init(_ kinds: some Sequence<StoryKind>) {
        self.kinds = kinds.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        self.total = self.kinds.values.reduce(0, +)
    }

    /// The combined number of photographs, documents and films of objects.
    public var familyObjects: Int { StoryKind.familyObjects.reduce(0) { $0 + (kinds[$1] ?? 0) } }
}

/// A ledger entry: a story at a place was announced to a user.
///
/// Uniqueness is enforced by the store's unique key, not by a prior check.
public struct LedgerEntry: Hashable, Sendable {
    /// The recipient.
    public let user: UserID
    /// The story.
    public let story: StoryID
    /// The location epoch at the time of the announcement.
    public let locationEpoch: Int

    /// Creates an entry.
    public init(user: UserID, story: StoryID, locationEpoch: Int) {
        self.user = user
        self.story = story
        self.locationEpoch = locationEpoch
    }
}

/// Counts the moves of a story that are far enough to announce it again.
public struct LocationEpoch: Hashable, Sendable {
    /// The minimum distance in metres that counts as a move.
    public static let farMove = 50.0

    /// The number of far moves so far.
    public private(set) var number: Int
    /// The story's position at the last counted move; small moves add up relative to it.
    public private(set) var anchor: Coordinate

    /// Creates the epoch of a story first located at `anchor`, or continues a stored one.
    public init(number: Int = 0, anchor: Coordinate) {
        self.number = number
        self.anchor = anchor
    }

    /// The maximum number of earlier epochs that keep a story from being announced at its further places.
    private static let mostEarlier = 64

    /// Returns the epochs under which an earlier announcement keeps a story, now in epoch `number`, from being
    /// announced.
    ///
    /// At its own location only an announcement since its last far move does. At a further place each one does: when
    /// the story's location moves, its further places stay where they are, and people were notified there before. Nor
    /// does it count as a far move when a further place moves, appears or is confirmed.
    public static func silencing(_ number: Int, isFurther: Bool) -> [Int] {
        guard isFurther, number > 0 else { return [number] }
        return Array((max(0, number - mostEarlier)...number).reversed())
    }

    /// Records the story's new position.
    public mutating func move(to coordinate: Coordinate) {
        guard GreatCircle.distance(anchor, coordinate) > LocationEpoch.farMove else { return }
        number = number == .max ? 0 : number + 1
        anchor = coordinate
    }
}
