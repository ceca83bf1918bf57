/// The numbers of unread and unseen notifications in a feed.
package struct FeedBadge: Hashable, Sendable {
    /// The maximum count.
    package static let most = 1_000
    /// The maximum count that is displayed exactly.
    static let mostShown = 99

    /// The number of notifications neither read nor archived.
    package var unread = 0
    /// Of these, the number that arrived after the user last looked at the feed.
    package var unseen = 0

    /// The text of the badge: "99+" from a hundred on.
    package var display: String { unread > FeedBadge.mostShown ? "\(FeedBadge.mostShown)+" : "\(unread)" }
}
