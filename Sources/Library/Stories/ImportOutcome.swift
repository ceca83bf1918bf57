/// The outcome of an import, in numbers of stories.
public struct ImportOutcome: Hashable, Sendable {
    /// The number of new stories.
    public var created = 0
    /// The number of existing stories whose row in the file has changed.
    public var updated = 0
    /// The number of rows without a change, including those whose story was deleted.
    public var unchanged = 0
    /// The number of stories that were removed, because the source no longer has them.
    public var removed = 0
    /// The number of stories that the source no longer has and that stay, because they were edited since.
    public var kept = 0

    /// Creates an outcome.
    public init(created: Int = 0, updated: Int = 0, unchanged: Int = 0, removed: Int = 0, kept: Int = 0) {
        self.created = created
        self.updated = updated
        self.unchanged = unchanged
        self.removed = removed
        self.kept = kept
    }
}
