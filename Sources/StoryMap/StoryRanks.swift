public import Stories

/// How well stories match the words of a search, by which a list can be ordered; see ``TextRank``.
public struct StoryRanks: Hashable, Sendable {
    /// The rank of each story found, the best one 0.
    public let ranks: [StoryID: UInt8]

    /// Creates ranks.
    public init(_ ranks: [StoryID: UInt8]) { self.ranks = ranks }
}
