import Geometry
public import Stories

/// Some stories, as a question about the map names them: two sets of the same stories are told to be equal at once.
public struct StorySet: Hashable, Sendable {
    /// The stories.
    public let ids: Set<StoryID>
    /// A sum over the ids, whatever their order; ids are random, so that no two sets met in practice have the same.
    public let digest: Digest

    /// Takes in some stories; O(n).
    public init(_ ids: Set<StoryID>) {
        self.ids = ids
        digest = ids.reduce(Digest.zero) { sum, id in
            sum + Digest(high: SplitMix64.mix(id.high ^ SplitMix64.mix(id.low)), low: SplitMix64.mix(id.low &+ id.high))
        }
    }

    /// How many stories there are.
    public var count: Int { ids.count }

    /// Whether a story is one of them.
    public func contains(_ id: StoryID) -> Bool { ids.contains(id) }

    /// Whether two sets hold the same stories; O(1).
    public static func == (a: StorySet, b: StorySet) -> Bool { a.ids.count == b.ids.count && a.digest == b.digest }

    /// Hashes the digest.
    public func hash(into hasher: inout Hasher) { hasher.combine(digest) }
}
