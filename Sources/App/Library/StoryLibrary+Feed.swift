import Geometry
import Notifications
import Storage
package import Stories

extension StoryLibrary {
    /// A part of a user's feed as they may see it now, newest first.
    ///
    /// What was closed, deleted, or hidden by the user since is not told again: such stories are left out of their
    /// notification, and one that tells of nothing else is left out altogether. What changed since, its place for
    /// instance, is told as it is now.
    func feed(of user: UserID, service: String? = nil, in window: FeedWindow) async throws -> [FeedItem] {
        let (items, own, viewer) = try await store.read { [self] transaction in
            guard let reader = try FeedReader(user, service: service, library: self, in: transaction) else {
                return ([FeedItem](), [Story](), Viewer.anonymous)
            }
            var (shown, own): ([FeedItem], [Story]) = ([], [])
            var part = window
            while shown.count < window.limit {
                let items = try transaction.notices(of: user, in: part)
                let page = try reader.read(items)
                shown += page.shown
                own += page.own
                guard items.count == window.limit, let last = items.last else { break }
                part.after = (last.createdAt, last.id)
            }
            return (Array(shown.prefix(window.limit)), own, reader.viewer)
        }
        // A notice stands at the exact point of one's own stories, at the published one of others.
        try await accesses.note(own, for: viewer)
        return items
    }

    /// One notification of a user as they may see it now; what tells of nothing any more names nothing.
    ///
    /// - Throws: ``Refusal`` (404) when it is not theirs or not there.
    func feedItem(_ id: String, of user: UserID, service: String?) async throws -> FeedItem {
        let found = try await store.read { [self] transaction in
            try FeedReader(user, service: service, library: self, in: transaction)
                .flatMap { reader in
                    try transaction.notice(id, of: user).map { (try reader.read([$0]), reader.viewer) }
                }
        }
        guard let (page, viewer) = found, let item = page.items.first else { throw Refusal.notFound }
        try await accesses.note(page.own, for: viewer)
        return item
    }

    /// Marks a notification of a user and returns it as they may see it.
    ///
    /// - Throws: ``Refusal`` (404) when it is not theirs or not there.
    func mark(
        _ id: String,
        of user: UserID,
        service: String?,
        _ marks: StoreTransaction.FeedMarks
    ) async throws -> FeedItem {
        let now = now()
        guard try await store.write({ try $0.mark(id, of: user, marks, at: now) }) != nil else {
            throw Refusal.notFound
        }
        return try await feedItem(id, of: user, service: service)
    }

    /// How many days live streams can be resumed.
    static let feedLogDays: Int64 = 8

    /// Forgets what the logs of feeds have of before ``feedLogDays``.
    package func forgetFeedEvents() async throws {
        let limit = Timestamp(milliseconds: certainTime.milliseconds - StoryLibrary.feedLogDays * 86_400_000)
        _ = try await store.write { try $0.forgetFeedEvents(before: limit) }
    }

    /// Counts what a user has not read or not seen, of what they may see now.
    package func badge(of user: UserID) async throws -> FeedBadge {
        try await store.read { [self] transaction in
            try FeedReader(user, service: nil, library: self, in: transaction)?.badge() ?? FeedBadge()
        }
    }

    /// The same as ``badge(of:)`` at the cost of what changed since somebody last looked.
    package func keptBadge(of user: UserID) async throws -> FeedBadge {
        // Before the view is taken: whatever is noted later, it may not have.
        let start = unread.start(user)
        let found = try await store.read { [self] transaction in
            try FeedReader(user, service: nil, library: self, in: transaction)
                .map { (unread: try $0.unread(since: start), seen: try transaction.feedPosition(of: user).seen) }
        }
        guard let found else { return FeedBadge() }
        unread.keep(found.unread, of: user, since: start)
        return found.unread.badge(seen: found.seen)
    }

    /// Takes a deleted story out of what feeds keep: its title, its place and their names stand in the words of notices.
    func forgetInFeeds(_ id: StoryID, in transaction: StoreTransaction) throws {
        for item in try transaction.notices(tellingOf: id) {
            let viewer = try transaction.viewer(item.user) ?? Viewer(user: item.user)
            let stories = try transaction.stories(item.content.map(\.id), withText: false)
            let preview = try transaction.notificationSettings(of: item.user).preview
            let named = try transaction.namedPlaces(of: [item], visibleTo: viewer)
            let tellers = try transaction.tellers(of: stories.values, for: viewer, preview: preview)
            let left = remaining(
                item,
                viewer: viewer,
                stories: stories,
                named: named,
                tellers: tellers,
                preview: preview
            )
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
            let named = try transaction.namedPlaces(of: [item], visibleTo: viewer)
            let tellers = try transaction.tellers(of: stories.values, for: viewer, preview: preview)
            let shown = visible(
                item,
                viewer: viewer,
                stories: stories,
                named: named,
                tellers: tellers,
                preview: preview
            )
            // By id: what is stored does not hold the source's ids, which an import gives its stories.
            guard let shown, shown.content.map(\.id) == item.content.map(\.id) else { continue }
            try transaction.reword(item.id, of: item.user, as: shown)
        }
    }

    /// The item with what the viewer may see of it, worded anew when that is less than was told or something else now;
    /// `nil` when it is nothing.
    ///
    /// `named` holds the named places of the items that the viewer may know of, `tellers` what they call those who tell.
    func visible(
        _ item: FeedItem,
        viewer: Viewer,
        stories: [StoryID: Story],
        named: [NamedPlaceID: NamedPlace],
        tellers: [UserID: String] = [:],
        preview: NotificationSettings.Preview
    ) -> FeedItem? {
        if item.subject == .gone { return nil }
        if case .newStories(let news) = item.subject {
            let seen = stories.values.filter { $0.isVisible(to: viewer) }
            return StoryNews.worded(item, news, tellingOf: seen, preview: preview)
        }
        if case .message(let message) = item.subject, !message.content.isEmpty {
            let left = message.keeping { stories[$0]?.isVisible(to: viewer) ?? false }
            return left == message ? item : item.reworded(.message(left), title: item.title, body: item.body)
        }
        guard let told = item.visit else { return item }
        let nearby = told.content.compactMap { content in
            stories[content.id]
                .flatMap { FenceNotifications.nearby($0, locationEpoch: 0, viewer: viewer, tellers: tellers) }
        }
        guard !nearby.isEmpty else { return nil }
        let hasChanged = told.content.compactMap({ stories[$0.id] })
            .contains { story in
                let updatedAt = story.owner == viewer.user ? story.updatedAt : story.shownUpdatedAt
                return updatedAt > story.createdAt && updatedAt >= item.createdAt
            }
        let place = told.namedPlace.flatMap { named[$0] }
        let isNamedOtherwise = told.namedPlace != nil && place?.name != told.placeName
        if nearby.count == told.content.count, !hasChanged, !isNamedOtherwise { return item }
        return worded(item, told, tellingOf: nearby, under: place, preview: preview)
    }

    /// The item without the stories that are not among `stories` any more, and without a word of them; `nil` when it tells
    /// of no other.
    ///
    /// What the user does not see at the moment stays: it may be shown to them again.
    func remaining(
        _ item: FeedItem,
        viewer: Viewer,
        stories: [StoryID: Story],
        named: [NamedPlaceID: NamedPlace],
        tellers: [UserID: String] = [:],
        preview: NotificationSettings.Preview
    ) -> FeedItem? {
        if case .newStories(let news) = item.subject {
            return StoryNews.worded(item, news, tellingOf: Array(stories.values), preview: preview)
        }
        if case .message(let message) = item.subject, !message.content.isEmpty {
            return item.reworded(.message(message.keeping { stories[$0] != nil }), title: item.title, body: item.body)
        }
        guard let told = item.visit else { return item }
        let content = told.content.filter { stories[$0.id] != nil }
        guard !content.isEmpty else { return nil }
        let nearby = content.compactMap { content in
            stories[content.id]
                .flatMap { FenceNotifications.announced($0, locationEpoch: 0, viewer: viewer, tellers: tellers) }
        }
        let place = told.namedPlace.flatMap { named[$0] }
        let words = worded(item, told, tellingOf: nearby, under: place, preview: preview)
        // Where none has a published point there is nothing to say: whichever gets one again is worded anew when it is read.
        let visit = FeedItem.Visit(
            kind: told.kind,
            placeName: words?.visit?.placeName ?? "",
            place: words?.visit?.place ?? Coordinate(wrappingLatitude: 0, longitude: 0),
            content: content,
            confidence: told.confidence,
            isArea: told.isArea,
            namedPlace: told.namedPlace
        )
        return item.reworded(.nearby(visit), title: words?.title ?? "", body: words?.body ?? "")
    }

    /// The item in the words of these stories, told at the place that was entered while there still is one of them, else
    /// at the point of the first; `nil` for none.
    private func worded(
        _ item: FeedItem,
        _ told: FeedItem.Visit,
        tellingOf nearby: [Notifications.NearbyStory],
        under place: NamedPlace?,
        preview: NotificationSettings.Preview
    ) -> FeedItem? {
        guard let first = nearby.first(where: { $0.placeID == PlaceID(told.place) }) ?? nearby.first else { return nil }
        let visit = PlaceVisit(
            placeID: first.placeID,
            coordinate: first.point,
            kind: told.kind,
            at: item.at,
            confidence: told.confidence,
            isSimulated: item.isSimulated
        )
        var options = NoticeOptions()
        options.preview = preview
        let named = place.flatMap { first.isExact && $0.contains(first.point) ? $0 : nil }
        // What was told together stays together, also when one of them moved away since; that one's new place is not named.
        let together = nearby.map { story in
            let isAround =
                told.isArea || named?.contains(story.point) ?? false
                || GreatCircle.distance(story.point, first.point) <= options.diameter + 0.01
            return isAround ? story : story.withoutNames
        }
        let planner = NoticePlanner(options: options)
        guard
            let notice = planner.notice(
                of: visit,
                tellingOf: together,
                isArea: told.isArea,
                under: named,
                names: placeNames
            )
        else { return nil }
        return item.reworded(
            .nearby(
                FeedItem.Visit(
                    kind: told.kind,
                    placeName: notice.placeName,
                    place: notice.place,
                    content: notice.content,
                    confidence: told.confidence,
                    isArea: told.isArea,
                    namedPlace: notice.namedPlace
                )
            ),
            title: notice.title,
            body: notice.body
        )
    }
}
