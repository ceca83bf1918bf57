import Notifications
package import Storage
package import Stories

/// Announces new stories to the families of their authors.
package struct StoryNews: StoreService {
    package let context: StoreContext
    package let feed: FeedService

    /// Creates a value from its parts.
    package init(context: StoreContext, feed: FeedService) {
        self.context = context
        self.feed = feed
    }

    /// Notifies the author's families of stories that were just added: each member once, of the stories they may see.
    package func announce(_ stories: [StoryID], by author: UserID, in transaction: StoreTransaction) throws {
        guard !stories.isEmpty, author != UserID.archive else { return }
        let now = now()
        let families = try transaction.families(of: author).map(\.family.id)
        let members = Set(try families.flatMap { try transaction.members(of: $0).map(\.user) }).subtracting([author])
        guard !members.isEmpty else { return }
        // Read from the database, because a story that is withheld at the moment must not be announced.
        let shown = try transaction.stories(stories, withText: false).values.filter { $0.owner == author }
        for member in members.sorted() {
            guard let viewer = try transaction.viewer(member) else { continue }
            let hidden = try transaction.hiddenStories(of: member)
            let seen = shown.filter { $0.isVisible(to: viewer) && !hidden.contains($0.id) }.sorted { $0.id < $1.id }
            guard let first = seen.first else { continue }
            let preview = try transaction.notificationSettings(of: member).preview
            let name = try transaction.callNames(of: [author], for: member)[author] ?? author.rawValue
            if try add(seen, to: member, by: author, name: name, preview: preview, at: now, in: transaction) {
                continue
            }
            let words = NewStoryWording.words(seen, author: name, preview: preview)
            let message = "waymark new stories 1|\(member)|\(first.id)|\(seen.count)"
            let item = FeedItem(
                id: feed.messageID(of: message),
                user: member,
                at: now,
                createdAt: now,
                subject: .newStories(
                    .init(author: author, content: seen.map { .init(id: $0.id, sourceID: nil) })
                ),
                title: words.title,
                body: words.body
            )
            try feed.announce(item, in: transaction)
        }
    }

    /// Adds stories to an unread notification of the same author's stories that a member got within the last hour.
    ///
    /// Many stories added one by one thus cause one notification. Returns `false` if there is no such notification, or
    /// if it has 500 stories already.
    private func add(
        _ stories: [Story],
        to member: UserID,
        by author: UserID,
        name: String,
        preview: NotificationSettings.Preview,
        at now: Timestamp,
        in transaction: StoreTransaction
    ) throws -> Bool {
        let hourAgo = now.advanced(byMilliseconds: -3_600_000)
        guard let item = try transaction.latestNews(to: member, since: hourAgo),
            case .newStories(let news) = item.subject, news.author == author, news.content.count < 500
        else { return false }
        let told = Set(news.content.map(\.id))
        let new = stories.map(\.id).filter { !told.contains($0) }
        let all = (news.content + new.map { .init(id: $0, sourceID: nil) }).sorted { $0.id < $1.id }
        let words = NewStoryWording.words(count: all.count, author: name, preview: preview)
        let grown = FeedItem(
            id: item.id,
            user: member,
            at: item.at,
            createdAt: item.createdAt,
            subject: .newStories(.init(author: author, content: all)),
            title: words.title,
            body: words.body
        )
        try transaction.reword(item.id, of: member, as: grown)
        return true
    }
}
