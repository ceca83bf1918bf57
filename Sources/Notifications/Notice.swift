public import Geometry
public import Stories

/// One notification before it is written: what is told, and how.
public struct Notice: Hashable, Sendable {
    /// One place of a notice.
    public struct Group: Hashable, Sendable {
        /// What the place is called.
        public let placeName: String
        /// Where it is.
        public let place: Coordinate
        /// The named place that gave it its name, or `nil`.
        public let namedPlace: NamedPlaceID?
        /// The stories there, sorted by id, at least one.
        public let stories: [NearbyStory]
        /// The smallest id of the stories' places; the same whichever of them was entered.
        public let key: PlaceID
    }

    /// How the place was reached: entered, if any of the places was.
    public let kind: FeedItem.Kind
    /// The time of the fix at which the first decision fell.
    public let at: Timestamp
    /// When the window of the visits closes at the latest; it is to be written by then.
    public let readyAt: Timestamp
    /// The places: one, or more than two when they were entered together.
    public let groups: [Group]
    /// What the place, or the area of several, is called.
    public let placeName: String
    /// Where the place is; of several, the first one entered.
    public let place: Coordinate
    /// All stories, sorted by id.
    public let stories: [NearbyStory]
    /// The headline.
    public let title: String
    /// The sentence below it.
    public let body: String
    /// How sure the evaluator is, 0...1.
    public let confidence: Double
    /// Whether it comes from a recorded or simulated trace.
    public let isSimulated: Bool

    /// The smallest place id of all groups.
    public var groupKey: PlaceID { groups.map(\.key).min() ?? PlaceID(place) }

    /// The named place that gave it its name; `nil` for none, or for an area of several.
    public var namedPlace: NamedPlaceID? { groups.count == 1 ? groups.first?.namedPlace : nil }

    /// How many stories of each kind there are.
    public var counts: NoticeCounts { NoticeCounts(stories.map(\.kind)) }

    /// The stories as the feed keeps them.
    public var content: [FeedItem.Content] { stories.map { FeedItem.Content(id: $0.id, sourceID: $0.sourceID) } }

    /// What the ledger must newly hold for this notice to be told.
    public func ledgerEntries(for user: UserID) -> [LedgerEntry] {
        stories.map { LedgerEntry(user: user, story: $0.id, locationEpoch: $0.locationEpoch) }
    }

    /// The bytes whose keyed digest is the notification's id: user, places and content, each in one way only.
    ///
    /// Neither time nor device, so that a repetition has the same id. `waymark notice 1`, a zero byte, the length of the
    /// user's id in one byte and the id, eight bytes ``groupKey``, then for every story by id its 16 bytes and eight
    /// bytes of location epoch; numbers are big-endian.
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

/// How many stories of each kind a notice tells of.
public struct NoticeCounts: Hashable, Sendable {
    /// The kinds that occur, with their numbers.
    public let kinds: [StoryKind: Int]
    /// The number of all.
    public let total: Int

    /// Counts kinds.
    public init(_ kinds: some Sequence<StoryKind>) {
        self.kinds = kinds.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        self.total = self.kinds.values.reduce(0, +)
    }

    /// The number of photographs, documents and films of objects together.
    public var familyObjects: Int { StoryKind.familyObjects.reduce(0) { $0 + (kinds[$1] ?? 0) } }
}

/// What the ledger holds: that a user was told of a story at a place.
///
/// The store's unique key decides, not a check before it.
public struct LedgerEntry: Hashable, Sendable {
    /// Who was told.
    public let user: UserID
    /// Of what.
    public let story: StoryID
    /// Before which of its moves.
    public let locationEpoch: Int

    /// Creates an entry.
    public init(user: UserID, story: StoryID, locationEpoch: Int) {
        self.user = user
        self.story = story
        self.locationEpoch = locationEpoch
    }
}

/// Counts the moves of a story that are far enough to tell it again.
public struct LocationEpoch: Hashable, Sendable {
    /// The distance in metres that a story must move to count as somewhere else.
    public static let farMove = 50.0

    /// The number of far moves so far.
    public private(set) var number: Int
    /// Where the story was when it was counted last; small moves add up against it.
    public private(set) var anchor: Coordinate

    /// Creates the epoch of a story first located at `anchor`, or continues a stored one.
    public init(number: Int = 0, anchor: Coordinate) {
        self.number = number
        self.anchor = anchor
    }

    /// Notes that the story now is at `coordinate`.
    public mutating func move(to coordinate: Coordinate) {
        guard GreatCircle.distance(anchor, coordinate) > LocationEpoch.farMove else { return }
        number = number == .max ? 0 : number + 1
        anchor = coordinate
    }
}
