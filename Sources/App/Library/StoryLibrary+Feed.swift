import Gazetteer
import Geometry
import Notifications
import Storage
import Stories

extension StoryLibrary {
    /// A part of a user's feed as they may see it now, newest first.
    ///
    /// What was closed, deleted, or hidden by the user since is not told again: such stories are left out of their
    /// notification, and one that tells of nothing else is left out altogether. What changed since, its place for
    /// instance, is told as it is now.
    func feed(
        of user: UserID,
        service: String? = nil,
        unreadOnly: Bool,
        after: (createdAt: Timestamp, id: String)?,
        limit: Int
    ) async throws -> [FeedItem] {
        let (items, own, reader) = try await store.read { [self] transaction in
            guard var viewer = try transaction.viewer(user) else { return ([FeedItem](), [Story](), Viewer.anonymous) }
            viewer.service = service
            let hidden = try transaction.hiddenStories(of: user)
            let preview = try transaction.notificationSettings(of: user).preview
            var (shown, own): ([FeedItem], [Story]) = ([], [])
            var position = after
            while shown.count < limit {
                let items = try transaction.notices(of: user, unreadOnly: unreadOnly, after: position, limit: limit)
                let stories = try transaction.stories(items.flatMap { $0.content.map(\.id) }, withText: false)
                    .filter { !hidden.contains($0.key) }
                shown += items.compactMap { visible($0, viewer: viewer, stories: stories, preview: preview) }
                own += stories.values.filter { $0.owner == user && service != nil }
                guard items.count == limit, let last = items.last else { break }
                position = (last.createdAt, last.id)
            }
            return (Array(shown.prefix(limit)), own, viewer)
        }
        // A notice stands at the exact point of one's own stories, at the published one of others.
        try await noteAccesses(to: own, viewer: reader)
        return items
    }

    /// Takes a deleted story out of what feeds keep: its title, its place and their names stand in the words of notices.
    func forgetInFeeds(_ id: StoryID, in transaction: StoreTransaction) throws {
        for item in try transaction.notices(tellingOf: id) {
            let viewer = try transaction.viewer(item.user) ?? Viewer(user: item.user)
            let stories = try transaction.stories(item.content.map(\.id), withText: false)
            let preview = try transaction.notificationSettings(of: item.user).preview
            let left = remaining(item, viewer: viewer, stories: stories, preview: preview)
            try transaction.reword(item.id, of: item.user, as: left)
        }
    }

    /// Rewords what feeds keep of a story that changed: the point it was told at may be nobody's to know any more.
    ///
    /// What a user does not see at the moment stays, to be filtered when it is read: it may be shown to them again.
    func rewordFeeds(_ id: StoryID, in transaction: StoreTransaction) throws {
        for item in try transaction.notices(tellingOf: id) {
            guard let viewer = try transaction.viewer(item.user) else { continue }
            let stories = try transaction.stories(item.content.map(\.id), withText: false)
            let preview = try transaction.notificationSettings(of: item.user).preview
            guard let shown = visible(item, viewer: viewer, stories: stories, preview: preview),
                shown.content == item.content
            else { continue }
            try transaction.reword(item.id, of: item.user, as: shown)
        }
    }

    /// The item with what the viewer may see of it, worded anew when that is less than was told or something else now;
    /// `nil` when it is nothing.
    func visible(
        _ item: FeedItem,
        viewer: Viewer,
        stories: [StoryID: Story],
        preview: NotificationSettings.Preview
    ) -> FeedItem? {
        if case .newStories(let news) = item.subject {
            let seen = stories.values.filter { $0.isVisible(to: viewer) }
            return StoryNews.worded(item, news, tellingOf: seen, preview: preview)
        }
        guard let told = item.visit else { return item }
        let nearby = told.content.compactMap { content in
            stories[content.id].flatMap { FenceNotifications.nearby($0, locationEpoch: 0, viewer: viewer) }
        }
        guard let first = nearby.first else { return nil }
        let hasChanged = stories.values.contains { story in
            let updatedAt = story.owner == viewer.user ? story.updatedAt : story.shownUpdatedAt
            return updatedAt > story.createdAt && updatedAt >= item.createdAt
        }
        if nearby.count == told.content.count, !hasChanged { return item }
        return worded(item, told, tellingOf: nearby, around: first, preview: preview)
    }

    /// The item without the stories that are not among `stories` any more, and without a word of them; `nil` when it tells
    /// of no other.
    ///
    /// What the user does not see at the moment stays: it may be shown to them again.
    func remaining(
        _ item: FeedItem,
        viewer: Viewer,
        stories: [StoryID: Story],
        preview: NotificationSettings.Preview
    ) -> FeedItem? {
        if case .newStories(let news) = item.subject {
            return StoryNews.worded(item, news, tellingOf: Array(stories.values), preview: preview)
        }
        guard let told = item.visit else { return item }
        let content = told.content.filter { stories[$0.id] != nil }
        guard !content.isEmpty else { return nil }
        let nearby = content.compactMap { content in
            stories[content.id].flatMap { FenceNotifications.announced($0, locationEpoch: 0, viewer: viewer) }
        }
        let words = nearby.first.flatMap { worded(item, told, tellingOf: nearby, around: $0, preview: preview) }
        // Where none has a published point there is nothing to say: whichever gets one again is worded anew when it is read.
        let visit = FeedItem.Visit(
            kind: told.kind,
            placeName: words?.visit?.placeName ?? "",
            place: words?.visit?.place ?? Coordinate(wrappingLatitude: 0, longitude: 0),
            content: content,
            confidence: told.confidence
        )
        return FeedItem(
            id: item.id,
            user: item.user,
            at: item.at,
            createdAt: item.createdAt,
            subject: .nearby(visit),
            title: words?.title ?? "",
            body: words?.body ?? "",
            isSimulated: item.isSimulated,
            readAt: item.readAt
        )
    }

    /// The item in the words of these stories, all told at the point of one of them.
    private func worded(
        _ item: FeedItem,
        _ told: FeedItem.Visit,
        tellingOf nearby: [Notifications.NearbyStory],
        around first: Notifications.NearbyStory,
        preview: NotificationSettings.Preview
    ) -> FeedItem? {
        let visit = PlaceVisit(
            placeID: first.placeID,
            coordinate: first.point,
            kind: told.kind,
            at: item.at,
            confidence: told.confidence,
            isSimulated: item.isSimulated
        )
        let name: @Sendable (Coordinate) -> String? = { [gazetteer] in gazetteer?.reverse($0)?.settlementName }
        var options = NoticeOptions()
        options.preview = preview
        // What was told together stays together, also when one of them moved away since.
        let together = nearby.map { story in
            Notifications.NearbyStory(
                id: story.id,
                locationEpoch: story.locationEpoch,
                kind: story.kind,
                title: story.title,
                point: first.point,
                sourceID: story.sourceID,
                placeName: story.point == first.point ? story.placeName : nil,
                city: story.point == first.point ? story.city : nil
            )
        }
        guard let notice = NoticePlanner(options: options).plan(visits: [visit], nearby: together, name: name).first
        else { return nil }
        return FeedItem(
            id: item.id,
            user: item.user,
            at: item.at,
            createdAt: item.createdAt,
            subject: .nearby(
                FeedItem.Visit(
                    kind: told.kind,
                    placeName: notice.placeName,
                    place: notice.place,
                    content: notice.content,
                    confidence: told.confidence
                )
            ),
            title: notice.title,
            body: notice.body,
            isSimulated: item.isSimulated,
            readAt: item.readAt
        )
    }
}
