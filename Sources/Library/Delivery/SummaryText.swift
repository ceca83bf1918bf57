import Notifications

/// The text for several notifications in one message.
enum SummaryText: Sendable {
    /// The maximum number of notifications listed, except in e-mails; a single further one is listed too.
    static let maximumLines = 5
    /// The maximum count of omitted notifications; above it, the text says "More than".
    static let maximumLeftOut = 99

    /// Returns the number of notifications and, if the preview allows it, the first of them, one per line.
    ///
    /// An e-mail lists them below its text instead.
    static func body(_ items: [FeedItem], kind: ChannelKind, preview: NotificationSettings.Preview) -> String {
        let count = items.count == 1 ? "1 notification" : "\(items.count) notifications"
        guard preview != .none, kind != .email else { return count }
        let named = items.count == maximumLines + 1 ? items[...] : items.prefix(maximumLines)
        var lines = named.map(line)
        if items.count > named.count { lines.append("and \(items.count - named.count) more") }
        return (items.count == 1 ? lines : ["\(count):"] + lines).joined(separator: "\n")
    }

    private static func line(_ item: FeedItem) -> String {
        let text = PlainText.line(item.body.isEmpty ? item.title : "\(item.title): \(item.body)")
        return text.count <= 120 ? text : text.prefix(119) + "…"
    }

    /// Returns the line added to a message with the number of notifications that limits kept from the channel since the
    /// last message.
    static func leftOut(_ count: Int) -> String {
        let number = count > maximumLeftOut ? "More than \(maximumLeftOut)" : String(count)
        let things = count == 1 ? "notification is" : "notifications are"
        return "\(number) more \(things) in your feed since the last message."
    }
}
