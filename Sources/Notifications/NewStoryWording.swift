public import Stories

/// The text of notifications about stories that a family member added.
public enum NewStoryWording: Sendable {
    /// Returns the text for stories of an author, with the title of a single story if the preview setting allows it.
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

    /// Returns the text for a number of stories, without titles.
    public static func words(
        count: Int,
        author: String,
        preview: NotificationSettings.Preview
    ) -> (title: String, body: String) {
        guard preview != .none else { return ("Waymark", "You have a new notification") }
        return (author, "added \(count == 1 ? "a story" : "\(count) stories")")
    }

    /// Returns the item with only those of its stories that are in `stories`, and a new text; `nil` if there are none.
    ///
    /// The author's name is taken from the item.
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
