import Notifications

/// The words for several notifications in one message.
enum SummaryWords: Sendable {
    /// The most that are named one by one on a screen.
    static let mostLines = 5
    /// The most that are counted as left out; beyond, there are more than so many.
    static let mostLeftOut = 99

    /// How many notifications there are and, as far as the preview allows, the first of them, a line each.
    ///
    /// An e-mail lists them below its text instead.
    static func body(_ items: [FeedItem], kind: ChannelKind, preview: NotificationSettings.Preview) -> String {
        let count = items.count == 1 ? "1 notification" : "\(items.count) notifications"
        guard preview != .none, kind != .email else { return count }
        let named = items.count == mostLines + 1 ? items[...] : items.prefix(mostLines)
        var lines = named.map(line)
        if items.count > named.count { lines.append("and \(items.count - named.count) more") }
        return (items.count == 1 ? lines : ["\(count):"] + lines).joined(separator: "\n")
    }

    private static func line(_ item: FeedItem) -> String {
        let text = PlainText.line(item.body.isEmpty ? item.title : "\(item.title): \(item.body)")
        return text.count <= 120 ? text : text.prefix(119) + "…"
    }

    /// What stands below a message when limits kept others from a channel before it.
    static func leftOut(_ count: Int) -> String {
        let number = count > mostLeftOut ? "More than \(mostLeftOut)" : String(count)
        return "\(number) more since the last message \(count == 1 ? "is" : "are") in your feed."
    }
}
