import Gazetteer
import Geometry
import Notifications
import Storage
import Stories

extension StoryLibrary {
    /// A part of a user's feed as they may see it now, newest first.
    ///
    /// What was closed, hidden (also by the user from their own views) or deleted since is not told again: such stories are left out of their notification, and
    /// one that tells of nothing else is left out altogether.
    func feed(
        of user: UserID,
        unreadOnly: Bool,
        after: (createdAt: Timestamp, id: String)?,
        limit: Int
    ) async throws -> [FeedItem] {
        try await store.read { [self] transaction in
            guard let viewer = try transaction.viewer(user) else { return [] }
            let hidden = try transaction.hiddenStories(of: user)
            var shown: [FeedItem] = []
            var position = after
            while shown.count < limit {
                let items = try transaction.notices(of: user, unreadOnly: unreadOnly, after: position, limit: limit)
                let stories = try transaction.stories(items.flatMap { $0.content.map(\.id) }, withText: false)
                    .filter { !hidden.contains($0.key) }
                shown += items.compactMap { visible($0, viewer: viewer, stories: stories) }
                guard items.count == limit, let last = items.last else { break }
                position = (last.createdAt, last.id)
            }
            return Array(shown.prefix(limit))
        }
    }

    /// Takes a deleted story out of what feeds keep: its title, its place and their names stand in the words of notices.
    func forgetInFeeds(_ id: StoryID, in transaction: StoreTransaction) throws {
        for item in try transaction.notices(tellingOf: id) {
            let viewer = try transaction.viewer(item.user) ?? Viewer(user: item.user)
            let stories = try transaction.stories(item.content.map(\.id), withText: false)
            try transaction.reword(item.id, of: item.user, as: visible(item, viewer: viewer, stories: stories))
        }
    }

    /// The item with what the viewer may see of it, worded anew when that is less than was told; `nil` when it is nothing.
    func visible(_ item: FeedItem, viewer: Viewer, stories: [StoryID: Story]) -> FeedItem? {
        guard let told = item.visit else { return item }
        let nearby = told.content.compactMap { content in
            stories[content.id].flatMap { FenceNotifications.nearby($0, locationEpoch: 0, viewer: viewer) }
        }
        guard let first = nearby.first else { return nil }
        if nearby.count == told.content.count { return item }
        let visit = PlaceVisit(
            placeID: first.placeID,
            coordinate: first.point,
            kind: told.kind,
            at: item.at,
            confidence: told.confidence,
            isSimulated: item.isSimulated
        )
        let name: @Sendable (Coordinate) -> String? = { [gazetteer] in gazetteer?.reverse($0)?.place.name }
        guard let notice = NoticePlanner().plan(visits: [visit], nearby: nearby, name: name).first else { return nil }
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
