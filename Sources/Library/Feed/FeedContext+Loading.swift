package import Notifications
package import Storage
package import Stories

extension FeedContext {
    /// Which stories of some items a context holds.
    package enum Extent: Sendable {
        /// Those that the reader has not hidden from their own views: for what is shown.
        case shown
        /// All: for what is stored, because what was hidden may be shown again.
        case stored
    }

    /// Loads everything that the words of these items depend on now, for one reader.
    ///
    /// Without `namesTellers` nobody is named as a teller, whatever the preview allows.
    package init(
        for items: [FeedItem],
        viewer: Viewer,
        preview: NotificationSettings.Preview,
        extent: Extent = .shown,
        namesTellers: Bool = true,
        in transaction: StoreReader
    ) throws {
        let stories = try FeedContext.stories(of: items, viewer: viewer, extent: extent, in: transaction)
        let owners = namesTellers && preview == .full ? Set(stories.values.map(\.owner)) : []
        self.init(
            viewer: viewer,
            stories: stories,
            namedPlaces: try transaction.namedPlaces(of: items, visibleTo: viewer),
            tellers: owners.isEmpty ? [:] : try transaction.callNames(of: owners, for: viewer.user),
            preview: preview
        )
    }

    /// Loads no more than ``showsAnything(of:)`` needs to count these items.
    package init(
        counting items: [FeedItem],
        viewer: Viewer,
        preview: NotificationSettings.Preview,
        in transaction: StoreReader
    ) throws {
        let stories = try FeedContext.stories(of: items, viewer: viewer, extent: .shown, in: transaction)
        self.init(viewer: viewer, stories: stories, preview: preview)
    }

    private static func stories(
        of items: [FeedItem],
        viewer: Viewer,
        extent: Extent,
        in transaction: StoreReader
    ) throws -> [StoryID: Story] {
        let ids = items.flatMap { $0.content.map(\.id) }
        guard !ids.isEmpty else { return [:] }
        let stories = try transaction.stories(ids, withText: false)
        guard extent == .shown, let user = viewer.user else { return stories }
        let hidden = try transaction.hiddenStories(of: user, among: ids)
        return stories.filter { !hidden.contains($0.key) }
    }
}
