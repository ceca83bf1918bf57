import Geometry
public import Stories

/// A set of stories in a map query: two sets are compared in constant time.
public struct StorySet: Hashable, Sendable {
    /// The stories.
    public let ids: Set<StoryID>
    /// A sum over the ids, independent of their order; ids are random, so different sets practically never have the
    /// same digest.
    public let digest: Digest

    /// Creates a set; O(n).
    public init(_ ids: Set<StoryID>) {
        self.ids = ids
        digest = ids.reduce(Digest.zero) { sum, id in
            sum + Digest(high: SplitMix64.mix(id.high ^ SplitMix64.mix(id.low)), low: SplitMix64.mix(id.low &+ id.high))
        }
    }

    /// The number of stories.
    public var count: Int { ids.count }

    /// Returns whether a story is in the set.
    public func contains(_ id: StoryID) -> Bool { ids.contains(id) }

    /// Returns whether two sets contain the same stories; O(1).
    public static func == (a: StorySet, b: StorySet) -> Bool { a.ids.count == b.ids.count && a.digest == b.digest }

    /// Hashes the digest.
    public func hash(into hasher: inout Hasher) { hasher.combine(digest) }
}
