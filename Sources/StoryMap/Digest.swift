import Geometry
import Stories

/// The secret that keeps digests from being computed by others: 128 random bits of the database.
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

/// A number of 128 bits that stands for a set of rows: the sum of the keyed digests of its rows.
///
/// A sum does not depend on the order of writing, so it is the same after a restart.
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

extension DigestKey {
    /// What a layer's name adds to the digests of its rows.
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

    /// What everybody who sees the story gets of it; its location takes no part except the parts that all of them get.
    ///
    /// Two changes within one millisecond give different digests, because the fields count and not the time alone. The
    /// text does not: the index is built without texts, and a change of it moves the time by a millisecond at least.
    func content(of story: Story) -> UInt64 {
        var hash = KeyedHash(key: self)
        hash.absorb(UInt64(bitPattern: story.shownUpdatedAt.milliseconds))
        hash.absorb(story.kind.rawValue)
        hash.absorb(story.owner.rawValue)
        for text in [story.title, story.date?.text, story.collection] { hash.absorb(text) }
        for text in [story.mediaURL, story.thumbnailURL, story.alt] { hash.absorb(text) }
        // Which family a public story names is known to that family alone.
        hash.absorb(story.effectivePrivacy == .public ? nil : story.family?.rawValue)
        hash.absorb(story.privacy.rawValue)
        hash.absorb((story.autoPrivate ? 1 : 0) | (story.isWithheld ? 2 : 0))
        for list in [story.tags, story.people, story.mentions] {
            hash.absorb(UInt64(list.count))
            hash.absorb(list.reduce(0) { $0 &+ digest(of: $1) })
        }
        if let location = story.location, location.published == .exact { absorb(location, into: &hash) }
        return hash.finish().low
    }

    /// What only those get of the story who see its location more exactly than it is published.
    func details(of story: Story) -> UInt64 {
        var hash = KeyedHash(key: self)
        hash.absorb(UInt64(bitPattern: story.updatedAt.milliseconds))
        hash.absorb(story.family?.rawValue)
        if let location = story.location { absorb(location, into: &hash) }
        return hash.finish().low
    }

    private func absorb(_ location: StoryLocation, into hash: inout KeyedHash) {
        hash.absorb(location.source.rawValue)
        hash.absorb((location.accuracy ?? -1).bitPattern)
        for name in LocationName.allCases {
            hash.absorb(location.names[name])
            hash.absorb(location.derived.contains(name) ? 1 : 0)
        }
    }

    private func digest(of text: String) -> UInt64 {
        var hash = KeyedHash(key: self)
        hash.absorb(text)
        return hash.finish().low
    }

    /// The digest of a story's existence in its layer.
    func digest(of story: IndexedStory, layer: UInt64) -> Digest {
        var hash = KeyedHash(key: self)
        for word in [1, story.id.high, story.id.low, story.content, UInt64(bitPattern: story.created), layer] {
            hash.absorb(word)
        }
        return hash.finish()
    }

    /// The digest of one appearance of a story in a layer.
    ///
    /// `details` are ``details(of:)``, for what trusted viewers get beyond the published point.
    func digest(of story: IndexedStory, details: UInt64, at point: Coordinate, mark: Int8, layer: UInt64) -> Digest {
        var hash = KeyedHash(key: self)
        for word in [2, story.id.high, story.id.low, story.content, layer] { hash.absorb(word) }
        hash.absorb(point.latitude.bitPattern)
        hash.absorb(point.longitude.bitPattern)
        hash.absorb(UInt64(bitPattern: Int64(mark)))
        if abs(mark) > 1 { hash.absorb(details) }
        return hash.finish()
    }
}
