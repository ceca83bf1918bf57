import Geometry
import Stories

/// The secret that prevents others from computing digests: 128 random bits stored in the database.
public struct DigestKey: Hashable, Sendable {
    /// The first 64 bits.
    public let high: UInt64
    /// The last 64 bits.
    public let low: UInt64

    /// Creates a key from its two halves.
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }
}

/// A 128-bit number that represents a set of rows: the sum of their keyed digests.
///
/// A sum is independent of the order of writes, so it is the same after a restart.
public struct Digest: Hashable, Sendable {
    /// The first 64 bits.
    public let high: UInt64
    /// The last 64 bits.
    public let low: UInt64

    /// The digest of no rows.
    public static let zero = Digest(high: 0, low: 0)

    /// Creates a digest from its two halves.
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Returns the sum, wrapping around.
    public static func + (a: Digest, b: Digest) -> Digest {
        let (low, carry) = a.low.addingReportingOverflow(b.low)
        return Digest(high: a.high &+ b.high &+ (carry ? 1 : 0), low: low)
    }

    /// Returns the difference, wrapping around.
    public static func - (a: Digest, b: Digest) -> Digest {
        let (low, borrow) = a.low.subtractingReportingOverflow(b.low)
        return Digest(high: a.high &- b.high &- (borrow ? 1 : 0), low: low)
    }
}

/// The digests of a story's strings, many of which recur.
struct WordDigests {
    let kind: UInt64
    let owner: UInt64
    /// The sum of the tags' digests, so that their order is irrelevant.
    let tags: UInt64
    /// The sum of the persons' digests.
    let people: UInt64
}

/// The digests of a story's data shown to some viewers beyond what every viewer of the story sees.
struct StoryDetails: Hashable, Sendable {
    /// The digest of the data shown to trusted family.
    let trusted: UInt64
    /// The digest of the data shown to the owner.
    let owner: UInt64

    /// The details of a story of which no viewer sees additional data.
    static let none = StoryDetails(trusted: 0, owner: 0)
}

extension DigestKey {
    /// Returns the contribution of a layer's name to the digests of its rows.
    func digest(of layer: VisibilityLayer) -> UInt64 {
        var hash = KeyedHash(key: self)
        switch layer {
        case .public: hash.absorb(0)
        case .kin(let owner):
            hash.absorb(1)
            hash.absorb(owner.rawValue)
        case .group(let family):
            hash.absorb(2)
            hash.absorb(family.rawValue)
        case .own(let owner):
            hash.absorb(3)
            hash.absorb(owner.rawValue)
        }
        return hash.finish().low
    }

    /// Returns the digest of the data shown to every viewer of the story; only the parts of its location visible to all
    /// of them are included.
    ///
    /// Two changes within one millisecond give different digests, because the fields are included and not only the
    /// time. The text is not included: the index is built without texts, and a text change moves the time by at least a
    /// millisecond.
    func content(of story: Story, words: WordDigests) -> UInt64 {
        // The family of a public story is visible only to that family.
        let family = story.effectivePrivacy == .public ? nil : story.family?.rawValue
        // One word contains the small values and one bit for each optional field that is present.
        var shape = UInt64(Privacy.allCases.firstIndex(of: story.privacy) ?? 0)
        shape |= (story.autoPrivate ? 4 : 0) | (story.isWithheld ? 8 : 0)
        shape |= UInt64(story.tags.count) << 16 ^ UInt64(story.people.count) << 32 ^ UInt64(story.mentions.count) << 48
        var hash = KeyedHash(key: self)
        hash.absorb(UInt64(bitPattern: story.shownUpdatedAt.milliseconds))
        hash.absorb(words.kind)
        hash.absorb(words.owner)
        hash.absorb(story.title)
        func absorb(_ text: String?, _ bit: UInt64) {
            guard let text else { return }
            hash.absorb(text)
            shape |= bit
        }
        absorb(story.indexedTimes.date?.text, 1 << 4)
        absorb(story.collection, 1 << 5)
        absorb(story.mediaURL, 1 << 6)
        absorb(story.thumbnailURL, 1 << 7)
        absorb(story.alt, 1 << 8)
        absorb(family, 1 << 9)
        absorb(story.picture?.name, 1 << 10)
        if !story.tags.isEmpty { hash.absorb(words.tags) }
        if !story.people.isEmpty { hash.absorb(words.people) }
        if !story.mentions.isEmpty { hash.absorb(story.mentions.reduce(0) { $0 &+ digest(of: $1) }) }
        if let location = story.location, location.published == .exact { self.absorb(location, into: &hash) }
        hash.absorb(shape)
        return hash.finish().low
    }

    /// Returns the digests of the data shown only to viewers who see the location more precisely than published.
    func details(of story: Story) -> StoryDetails {
        var trusted = KeyedHash(key: self)
        trusted.absorb(story.family?.rawValue)
        var owner = trusted
        if let location = story.location {
            // An operator's area hides the details of the exact point even from trusted family.
            if location.floor == .exact { absorb(location, into: &trusted) }
            absorb(location, into: &owner)
        }
        // A change visible only to the owner does not change the times shown to others.
        owner.absorb(UInt64(bitPattern: story.updatedAt.milliseconds))
        return StoryDetails(trusted: trusted.finish().low, owner: owner.finish().low)
    }

    /// Returns the digest of what the viewers of one placement of a further place are shown of it.
    func detail(of place: FurtherPlace, _ story: Story, isPublished: Bool, isOwn: Bool) -> UInt64 {
        var hash = KeyedHash(key: self)
        hash.absorb(place.shown)
        let location = place.location
        if isPublished ? location.published == .exact : isOwn || location.floor == .exact {
            absorb(location, into: &hash)
            absorb(place.shape, into: &hash)
        }
        // A change visible only to the owner does not change the times shown to others.
        if isOwn { hash.absorb(UInt64(bitPattern: story.updatedAt.milliseconds)) }
        return hash.finish().low
    }

    private func absorb(_ shape: PlaceShape?, into hash: inout KeyedHash) {
        guard let shape else { return }
        switch shape {
        case .line: hash.absorb(1)
        case .polygon: hash.absorb(2)
        case .multiPoint: hash.absorb(3)
        case .multiLine: hash.absorb(4)
        case .multiPolygon(let areas):
            hash.absorb(5)
            hash.absorb(UInt64(areas.count))
            for rings in areas { hash.absorb(UInt64(rings.count)) }
        }
        for line in shape.lines {
            hash.absorb(UInt64(line.count))
            for corner in line {
                hash.absorb(corner.longitude.bitPattern)
                hash.absorb(corner.latitude.bitPattern)
            }
        }
    }

    private func absorb(_ location: StoryLocation, into hash: inout KeyedHash) {
        hash.absorb(location.source.rawValue)
        hash.absorb(location.accuracy?.bitPattern ?? .max)
        hash.absorb(UInt64(bitPattern: location.updatedAt?.milliseconds ?? .min))
        hash.absorb(UInt64(location.names.count))
        guard !location.names.isEmpty else { return }
        for name in LocationName.allCases {
            hash.absorb(location.names[name])
            hash.absorb(location.derived.contains(name) ? 1 : 0)
        }
    }

    /// Returns the digest of a string.
    func digest(of text: String) -> UInt64 {
        var hash = KeyedHash(key: self)
        hash.absorb(text)
        return hash.finish().low
    }

    /// Returns the digest of a story's existence in its layer.
    func digest(of story: IndexedStory, layer: UInt64) -> Digest {
        var hash = KeyedHash(key: self)
        for word in [1, story.id.high, story.id.low, story.content, UInt64(bitPattern: story.created), layer] {
            hash.absorb(word)
        }
        return hash.finish()
    }

    /// Returns the digest of one appearance of a story in a layer.
    ///
    /// `details` is the value in ``details(of:)`` for the layer's audience; it is included only at points shown to
    /// trusted viewers beyond the published one.
    ///
    /// A further place is identified by its id, and has details of its own.
    func digest(
        of story: IndexedStory,
        details: UInt64,
        at point: Coordinate,
        mark: Int8,
        layer: UInt64,
        further: FurtherContent? = nil
    ) -> Digest {
        var hash = KeyedHash(key: self)
        for word in [2, story.id.high, story.id.low, story.content, layer] { hash.absorb(word) }
        hash.absorb(point.latitude.bitPattern)
        hash.absorb(point.longitude.bitPattern)
        hash.absorb(UInt64(bitPattern: Int64(mark)))
        guard let further, further != .own else {
            if abs(mark) > 1 { hash.absorb(details) }
            return hash.finish()
        }
        hash.absorb(further.place.high)
        hash.absorb(further.place.low)
        hash.absorb(further.detail)
        return hash.finish()
    }
}
