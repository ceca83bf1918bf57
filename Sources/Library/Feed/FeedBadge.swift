/// How much of a feed somebody has not read and not seen.
package struct FeedBadge: Hashable, Sendable {
    /// The most that is counted.
    package static let most = 1_000
    /// The most that is shown as it is.
    static let mostShown = 99

    /// Neither read nor put away.
    package var unread = 0
    /// Of these, what came after the user last looked.
    package var unseen = 0

    /// What stands on a bell: from a hundred on, no number.
    package var display: String { unread > FeedBadge.mostShown ? "\(FeedBadge.mostShown)+" : "\(unread)" }
}
