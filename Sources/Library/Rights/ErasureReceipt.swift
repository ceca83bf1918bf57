public import Storage
public import Stories

/// A receipt for an erasure: counts, no names.
public struct ErasureReceipt: Sendable {
    /// The id of the receipt, and of its line on the list of erasures.
    public let id: StoryID
    /// The kind of erasure.
    public let kind: ErasureList.Kind
    /// The time of the request.
    public let at: Timestamp
    /// The number of erased rows by kind of content, in the order of the catalogue.
    public let counts: [(name: String, count: Int)]
    /// Whether the file and its log have been overwritten already; if not, the service does so within minutes.
    public let isOverwritten: Bool
}
