import Notifications
import Storage
import Stories

/// Writes the messages of entries, as their recipients may see them at this moment.
struct MessageComposer: StoreService {
    /// A message with the stories it is about.
    struct Composed: Sendable {
        var message: ChannelMessage
        var stories: Set<StoryID>
    }

    let context: StoreContext
    let feed: FeedService
    let egress: Egress

    /// Returns the message of an entry as its user may see it now; `nil` if there is nothing left to send.
    ///
    /// Notifications already read are sent only to webhooks and in digests.
    func message(
        of entry: OutboxEntry,
        through kind: ChannelKind,
        viewer: Viewer,
        settings: NotificationSettings,
        in transaction: StoreTransaction
    ) throws -> Composed? {
        switch entry.scope {
        case nil:
            guard let item = try transaction.notice(entry.message, of: entry.user),
                item.archivedAt == nil, item.readAt == nil || kind == .webhook,
                let shown = try shown(item, viewer: viewer, settings: settings, in: transaction)
            else { return nil }
            let links = DeliveryLinks(egress: egress, kind: kind, template: settings.linkTemplate)
            var message = MessageText.message(of: shown, preview: settings.preview, links: links)
            if settings.preview != .none {
                let stories = try transaction.stories(shown.content.map(\.id), withText: false)
                message.counts = NoticeCounts(stories.values.map(\.kind)).kinds
            }
            message.expiresAt = entry.expiresAt
            if kind == .email { message.unsubscribeLink = unsubscribeLink(of: entry) }
            return Composed(message: message, stories: Set(shown.content.map(\.id)))
        case .notices(let ids)?:
            let items = try ids.compactMap { try transaction.notice($0, of: entry.user) }
                .filter { $0.readAt == nil && $0.archivedAt == nil }
            return try summary(of: items, entry, through: kind, viewer: viewer, settings: settings, in: transaction)
        case .time(let from, let to)?:
            let items = try transaction.notices(of: entry.user, from: from, to: to, limit: 200)
                .filter { $0.archivedAt == nil }
            return try summary(of: items, entry, through: kind, viewer: viewer, settings: settings, in: transaction)
        }
    }

    /// Returns whether nothing of a notification is left that its user may see.
    func isGone(_ id: String, of user: UserID, in transaction: StoreTransaction) throws -> Bool {
        guard let viewer = try transaction.viewer(user), let item = try transaction.notice(id, of: user) else {
            return true
        }
        let settings = try transaction.notificationSettings(of: user)
        return try shown(item, viewer: viewer, settings: settings, in: transaction) == nil
    }

    /// Returns a notification as its user may see it at this moment; `nil` if nothing of it is left.
    private func shown(
        _ item: FeedItem,
        viewer: Viewer,
        settings: NotificationSettings,
        in transaction: StoreTransaction
    ) throws -> FeedItem? {
        var context = try FeedContext(for: [item], viewer: viewer, preview: settings.preview, in: transaction)
        if item.visit != nil {
            let now = now()
            let silent = Set(settings.places.filter { !$0.isActive(at: now) }.map(\.place))
            context = context.silencing(silent, in: item)
        }
        return feed.wording.visible(item, in: context).map { MessageText.brief($0, preview: settings.preview) }
    }

    /// Returns several notifications as one message: their number, and a line for each.
    private func summary(
        of items: [FeedItem],
        _ entry: OutboxEntry,
        through kind: ChannelKind,
        viewer: Viewer,
        settings: NotificationSettings,
        in transaction: StoreTransaction
    ) throws -> Composed? {
        // Notifications of a type that has since been switched off are not sent in a summary either.
        let shown = try items.filter { !$0.isSimulated && isWanted($0, in: entry, through: kind, settings) }
            .compactMap { try self.shown($0, viewer: viewer, settings: settings, in: transaction) }
        guard let first = shown.first else { return nil }
        var title = "During your quiet hours"
        if case .time? = entry.scope { title = "Your notifications" }
        if settings.preview == .none { title = "Waymark" }
        var message = ChannelMessage(
            id: entry.message,
            type: ChannelMessage.digestType,
            title: title,
            body: SummaryText.body(shown, kind: kind, preview: settings.preview),
            occurredAt: first.at,
            detectedAt: entry.createdAt
        )
        let links = DeliveryLinks(egress: egress, kind: kind, template: settings.linkTemplate)
        message.link = links.home
        message.unsubscribeLink = unsubscribeLink(of: entry)
        let stories = Set(shown.flatMap { $0.content.map(\.id) })
        guard settings.preview != .none else { return Composed(message: message, stories: stories) }
        if shown.count == 1 {
            message.link = links.page(of: first)
            message.appLink = links.app(of: first)
        }
        var every: DigestSchedule.Every?
        if case .time? = entry.scope { every = settings.digest.every }
        message.subject =
            shown.count == 1
            ? MailSubject.words(for: first, preview: settings.preview) ?? first.title
            : MailSubject.words(forSeveral: shown.count, every: every)
        let clock = ZoneClock(of: settings)
        message.items = shown.prefix(50)
            .map { item -> ChannelMessage.Item in
                let at = DateWords.words(item.at, zone: clock.offset, language: settings.language)
                let words = item.body.isEmpty ? at : "\(item.body)\n\(at)"
                return ChannelMessage.Item(title: item.title, body: words, link: links.page(of: item))
            }
        // A story announced twice counts once.
        message.contentIDs = stories.sorted()
        // The shapes on the map are the kinds of stories, which only a full preview shows.
        if case .time? = entry.scope, kind == .email, settings.preview == .full { message.mapped = message.contentIDs }
        message.counts =
            NoticeCounts(try transaction.stories(message.contentIDs, withText: false).values.map(\.kind)).kinds
        return Composed(message: message, stories: stories)
    }

    /// Returns whether a notification may still be part of a message for several.
    private func isWanted(
        _ item: FeedItem,
        in entry: OutboxEntry,
        through kind: ChannelKind,
        _ settings: NotificationSettings
    ) -> Bool {
        if item.subject.isLocation, !settings.enabled { return false }
        // A digest repeats everything that was announced, through whichever channel.
        if case .time? = entry.scope { return settings.delivery.makes(item.subject.type) }
        // Location notifications made under an earlier consent are not sent under the next.
        if item.subject.isLocation, let consentAt = settings.consentAt, item.createdAt < consentAt { return false }
        return settings.delivery.sends(item.subject.type, through: kind)
    }

    /// Adds to a message the number of notifications that the user's limits kept from the channel since the last
    /// message, so that none is omitted silently (DLV-05); returns whether there were any.
    func addLeftOut(
        to composed: inout Composed,
        of entry: OutboxEntry,
        _ channel: ChannelRow,
        viewer: Viewer,
        settings: NotificationSettings,
        in transaction: StoreTransaction
    ) throws -> Bool {
        // A digest contains them anyway.
        if case .time? = entry.scope { return false }
        guard settings.preview != .none else { return false }
        let ids = try transaction.capped(for: channel.id, limit: SummaryText.maximumLeftOut + 1)
        let left = try ids.compactMap { try transaction.notice($0, of: entry.user) }
            .filter { $0.readAt == nil && $0.archivedAt == nil }
            .filter { settings.delivery.sends($0.subject.type, through: channel.kind) }
            .filter { settings.enabled || !$0.subject.isLocation }
            .compactMap { try shown($0, viewer: viewer, settings: settings, in: transaction) }
        guard !left.isEmpty else { return false }
        let text = SummaryText.leftOut(left.count)
        composed.message.body += (composed.message.body.isEmpty ? "" : "\n") + text
        // If one of them is withdrawn, this message is called off, so that they are counted again.
        composed.stories.formUnion(left.flatMap { $0.content.map(\.id) })
        return true
    }

    /// Returns a sample without personal data, composed like a backend's message to this user.
    func sample(_ entry: OutboxEntry, through kind: ChannelKind, settings: NotificationSettings) -> ChannelMessage {
        MessageText.sample(
            entry.message,
            of: entry.user,
            at: entry.createdAt,
            preview: settings.preview,
            links: DeliveryLinks(egress: egress, kind: kind, template: settings.linkTemplate)
        )
    }

    /// Returns the e-mail that verifies a user's address.
    func confirmation(_ entry: OutboxEntry, _ code: String) -> ChannelMessage {
        var message = ChannelMessage(
            id: entry.message,
            type: entry.type.rawValue,
            title: "Is this your address?",
            body: """
                Someone asked Waymark to send notifications to this address. If it was you, enter this code in the \
                app. Your code: \(code). If it was not you, ignore this message: nothing else will be sent.
                """,
            occurredAt: entry.createdAt
        )
        message.link = egress.address + "/"
        return message
    }

    /// Returns the link that turns off such e-mails without signing in.
    private func unsubscribeLink(of entry: OutboxEntry) -> String {
        var subject = UnsubscribeToken.Subject.email
        if case .time? = entry.scope { subject = .digest }
        let token = UnsubscribeToken(subject, of: entry.user).text(secret: store.keys[.channels])
        return "\(egress.address)/v1/unsubscribe?token=\(token)"
    }
}
