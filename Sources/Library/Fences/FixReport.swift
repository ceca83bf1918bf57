public import Notifications

/// The outcome of a batch of fixes.
public struct FixReport: Sendable {
    /// A fix that is not used for decisions.
    public struct Rejected: Hashable, Sendable {
        /// Its index in the batch, from 0.
        public let index: Int
        /// The reason as a code for programs.
        public let reason: String
        /// The field at fault.
        public let field: String
        /// The problem and the remedy, for people.
        public let message: String

        /// Creates a value from its parts.
        package init(index: Int, reason: String, field: String, message: String) {
            self.index = index
            self.reason = reason
            self.field = field
            self.message = message
        }
    }

    /// Whether the user has opted in; if not, no fix was examined.
    public var isMonitoring = false
    /// The number of fixes that were evaluated, or are held for a moment to be ordered with others.
    public var accepted = 0
    /// The number of fixes received before.
    public var duplicate = 0
    /// The number of fixes too late to change anything.
    public var late = 0
    /// The number of fixes waiting for others that agree.
    public var suspect = 0
    /// The fixes not used for decisions, with the reasons.
    public var rejected: [Rejected] = []
    /// The notifications written to the feed, in order.
    public var notices: [FeedItem] = []
}
