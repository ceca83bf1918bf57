public import Storage
public import Stories

/// What was erased: counts, no names.
public struct ErasureReceipt: Sendable {
    /// The number of the receipt, on the list of erasures too.
    public let id: StoryID
    /// What.
    public let kind: ErasureList.Kind
    /// When it was asked for.
    public let at: Timestamp
    /// How many of what, in the order of the catalogue.
    public let counts: [(name: String, count: Int)]
    /// Whether the file and its log have been overwritten already; if not, the service does so within minutes.
    public let isOverwritten: Bool
}
