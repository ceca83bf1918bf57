public import Notifications

/// What became of a batch of fixes.
public struct FixReport: Sendable {
    /// A fix that decides nothing.
    public struct Rejected: Hashable, Sendable {
        /// Its number in the batch, from 0.
        public let index: Int
        /// The reason as a word for programs.
        public let reason: String
        /// The field that it lies in.
        public let field: String
        /// What is wrong and what would be better, for people.
        public let message: String

        /// Creates a value from its parts.
        package init(index: Int, reason: String, field: String, message: String) {
            self.index = index
            self.reason = reason
            self.field = field
            self.message = message
        }
    }

    /// Whether the user has opted in; if not, nothing was looked at.
    public var isMonitoring = false
    /// How many were evaluated, or wait a moment for others to be put into order with.
    public var accepted = 0
    /// How many had come before.
    public var duplicate = 0
    /// How many were too late to change anything.
    public var late = 0
    /// How many wait for others that agree.
    public var suspect = 0
    /// Which decide nothing, and why.
    public var rejected: [Rejected] = []
    /// What was written into the feed, in order.
    public var notices: [FeedItem] = []
}
