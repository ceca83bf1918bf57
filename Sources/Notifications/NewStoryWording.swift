public import Stories

/// The words of notifications about stories that somebody of a family added.
public enum NewStoryWording: Sendable {
    /// Returns the words for so many stories of an author; the title of a single one where the preview allows.
    public static func words(
        _ stories: [Story],
        author: String,
        preview: NotificationSettings.Preview
    ) -> (title: String, body: String) {
        guard preview == .full, stories.count == 1, let story = stories.first else {
            return words(count: stories.count, author: author, preview: preview)
        }
        return (author, "added a story: \(Wording.shortened(story.title))")
    }

    /// Returns the words for a number of stories, without a title.
    public static func words(
        count: Int,
        author: String,
        preview: NotificationSettings.Preview
    ) -> (title: String, body: String) {
        guard preview != .none else { return ("Waymark", "You have a new notification") }
        return (author, "added \(count == 1 ? "a story" : "\(count) stories")")
    }

    /// Returns the item with those of its stories that are given, worded anew; `nil` when there is none.
    ///
    /// The author keeps the name that the item gives them.
    static func reworded(
        _ item: FeedItem,
        _ news: FeedItem.NewStories,
        tellingOf stories: [StoryID: Story],
        preview: NotificationSettings.Preview
    ) -> FeedItem? {
        let content = news.content.filter { stories[$0.id] != nil }
        guard !content.isEmpty else { return nil }
        let author = item.title == "Waymark" ? news.author.rawValue : item.title
        let words = words(content.compactMap { stories[$0.id] }, author: author, preview: preview)
        return item.reworded(
            .newStories(FeedItem.NewStories(author: news.author, content: content)),
            title: words.title,
            body: words.body
        )
    }
}
