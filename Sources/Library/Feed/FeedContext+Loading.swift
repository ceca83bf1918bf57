package import Notifications
package import Storage
package import Stories

extension FeedContext {
    /// The stories that a context includes.
    package enum Extent: Sendable {
        /// Stories the reader has not hidden from their own views; for display.
        case shown
        /// All stories; for storage, because hidden stories may be shown again.
        case stored
    }

    /// Loads the current data that the text of these items depends on, for one reader.
    ///
    /// Without `namesTellers`, no one is named as a teller, even if the preview allows it.
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

    /// Loads only the data that ``showsAnything(of:)`` needs to count these items.
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
