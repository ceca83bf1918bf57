import Notifications
import Storage
import Stories

/// Tells families of the stories that their members add.
enum StoryNews: Sendable {
    /// The words for so many stories of an author.
    static func words(
        _ stories: [Story],
        author: String,
        preview: NotificationSettings.Preview
    ) -> (title: String, body: String) {
        switch preview {
        case .none: return ("Waymark", "You have a new notification")
        case .count: return (author, "added \(count(stories.count))")
        case .full:
            guard stories.count == 1, let story = stories.first else {
                return (author, "added \(count(stories.count))")
            }
            let line = String(story.title.map { $0.isNewline ? " " : $0 })
            return (author, "added a story: " + (line.count <= 100 ? line : line.prefix(99) + "…"))
        }
    }

    private static func count(_ number: Int) -> String { number == 1 ? "a story" : "\(number) stories" }

    /// The item with those of its stories that are given, worded anew; `nil` when there is none.
    ///
    /// The author's name stays as it was told.
    static func worded(
        _ item: FeedItem,
        _ news: FeedItem.NewStories,
        tellingOf stories: [Story],
        preview: NotificationSettings.Preview
    ) -> FeedItem? {
        let left = Set(stories.map(\.id))
        let content = news.content.filter { left.contains($0.id) }
        guard !content.isEmpty else { return nil }
        let told = Set(content.map(\.id))
        let author = item.title == "Waymark" ? news.author.rawValue : item.title
        let words = words(stories.filter { told.contains($0.id) }, author: author, preview: preview)
        return item.reworded(
            .newStories(.init(author: news.author, content: content)),
            title: words.title,
            body: words.body
        )
    }
}

extension StoryLibrary {
    /// Writes a notification that is not about whereabouts, with what waits for the user's channels; returns whether it
    /// was written: not when they have switched its type off, or when it was written before.
    @discardableResult
    func tell(_ item: FeedItem, in transaction: StoreTransaction) throws -> Bool {
        guard try transaction.notificationSettings(of: item.user).delivery.makes(item.subject.type),
            try transaction.notice(item.id, of: item.user) == nil
        else { return false }
        try transaction.insert(item, ledger: [])
        return true
    }

    /// Tells the author's families of stories that were just added: each member of those they may see, in one piece.
    func tellFamilies(of stories: [Story], by author: UserID, in transaction: StoreTransaction) throws {
        let shown = stories.filter { $0.owner == author && $0.privacy != .private }
        guard !shown.isEmpty, author != StoryLibrary.archive else { return }
        let now = now()
        let families = try transaction.families(of: author).map(\.family.id)
        let members = Set(try families.flatMap { try transaction.members(of: $0).map(\.user) }).subtracting([author])
        guard !members.isEmpty else { return }
        let name = try transaction.names(of: [author])[author] ?? author.rawValue
        for member in members.sorted() {
            guard let viewer = try transaction.viewer(member) else { continue }
            let hidden = try transaction.hiddenStories(of: member)
            let seen = shown.filter { $0.isVisible(to: viewer) && !hidden.contains($0.id) }.sorted { $0.id < $1.id }
            guard let first = seen.first else { continue }
            let preview = try transaction.notificationSettings(of: member).preview
            let words = StoryNews.words(seen, author: name, preview: preview)
            let message = "waymark new stories 1|\(member)|\(first.id)|\(seen.count)"
            let item = FeedItem(
                id: KeyedID.make(secret: store.keys[.ledger], message: Array(message.utf8)).description,
                user: member,
                at: now,
                createdAt: now,
                subject: .newStories(
                    .init(author: author, content: seen.map { .init(id: $0.id, sourceID: nil) })
                ),
                title: words.title,
                body: words.body
            )
            try tell(item, in: transaction)
        }
    }
}
