import Geometry
import Notifications
import Storage
import Stories

extension StoryLibrary {
    /// What an entry tells as its user may see it now; `nil` when nothing of it is left, or nothing that is not read.
    func message(
        of entry: OutboxEntry,
        through kind: ChannelKind,
        viewer: Viewer,
        settings: NotificationSettings,
        in transaction: StoreTransaction
    ) throws -> (message: ChannelMessage, stories: Set<StoryID>)? {
        switch entry.scope {
        case nil:
            guard let item = try transaction.notice(entry.message, of: entry.user),
                item.archivedAt == nil, item.readAt == nil || kind == .webhook,
                let shown = try shown(item, viewer: viewer, settings: settings, in: transaction)
            else { return nil }
            let links = DeliveryLinks(desk: desk, kind: kind, template: settings.linkTemplate)
            var message = DeliveryWords.message(of: shown, preview: settings.preview, links: links)
            if settings.preview != .none {
                let stories = try transaction.stories(shown.content.map(\.id), withText: false)
                message.counts = NoticeCounts(stories.values.map(\.kind)).kinds
            }
            message.expiresAt = entry.expiresAt
            if kind == .email { message.unsubscribeLink = unsubscribeLink(of: entry) }
            return (message, Set(shown.content.map(\.id)))
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

    /// The item as its user may see it at this moment.
    private func shown(
        _ item: FeedItem,
        viewer: Viewer,
        settings: NotificationSettings,
        in transaction: StoreTransaction
    ) throws -> FeedItem? {
        var context = try FeedContext(for: [item], viewer: viewer, preview: settings.preview, in: transaction)
        if item.visit != nil {
            let now = now()
            context = context.silencing(Set(settings.places.filter { !$0.isActive(at: now) }.map(\.place)))
        }
        return feed.wording.visible(item, in: context).map { DeliveryWords.brief($0, preview: settings.preview) }
    }

    /// Several notifications as one: how many, and a line each.
    private func summary(
        of items: [FeedItem],
        _ entry: OutboxEntry,
        through kind: ChannelKind,
        viewer: Viewer,
        settings: NotificationSettings,
        in transaction: StoreTransaction
    ) throws -> (message: ChannelMessage, stories: Set<StoryID>)? {
        // What they switched off since is not told again in another way.
        let shown = try items.filter { !$0.isSimulated && isWanted($0, in: entry, through: kind, settings) }
            .compactMap { try self.shown($0, viewer: viewer, settings: settings, in: transaction) }
        guard let first = shown.first else { return nil }
        var title = "While it was quiet"
        if case .time? = entry.scope { title = "What you were told" }
        if settings.preview == .none { title = "Waymark" }
        var message = ChannelMessage(
            id: entry.message,
            type: ChannelMessage.digestType,
            title: title,
            body: SummaryWords.body(shown, kind: kind, preview: settings.preview),
            occurredAt: first.at,
            detectedAt: entry.createdAt
        )
        let links = DeliveryLinks(desk: desk, kind: kind, template: settings.linkTemplate)
        message.link = links.home
        message.unsubscribeLink = unsubscribeLink(of: entry)
        let stories = Set(shown.flatMap { $0.content.map(\.id) })
        guard settings.preview != .none else { return (message, stories) }
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
        // A story told of twice counts once.
        message.contentIDs = stories.sorted()
        message.counts =
            NoticeCounts(try transaction.stories(message.contentIDs, withText: false).values.map(\.kind)).kinds
        return (message, stories)
    }

    /// Whether a notification is still to be told in a message for several.
    private func isWanted(
        _ item: FeedItem,
        in entry: OutboxEntry,
        through kind: ChannelKind,
        _ settings: NotificationSettings
    ) -> Bool {
        if item.subject.isLocation, !settings.enabled { return false }
        // An e-mail of a week or a month tells again what was told at all, whichever way it went.
        if case .time? = entry.scope { return settings.delivery.makes(item.subject.type) }
        // What was told of whereabouts under an earlier consent is not told under the next.
        if item.subject.isLocation, let consentAt = settings.consentAt, item.createdAt < consentAt { return false }
        return settings.delivery.sends(item.subject.type, through: kind)
    }

    /// Says how many notifications the user's limits kept from a channel since the last that went there; nothing is left
    /// out silently (DLV-05); returns whether there were any.
    func addLeftOut(
        to told: inout (message: ChannelMessage, stories: Set<StoryID>),
        of entry: OutboxEntry,
        _ channel: ChannelRow,
        viewer: Viewer,
        settings: NotificationSettings,
        in transaction: StoreTransaction
    ) throws -> Bool {
        // An e-mail of a week or a month has them anyway.
        if case .time? = entry.scope { return false }
        guard settings.preview != .none else { return false }
        let ids = try transaction.capped(for: channel.id, limit: SummaryWords.mostLeftOut + 1)
        let left = try ids.compactMap { try transaction.notice($0, of: entry.user) }
            .filter { $0.readAt == nil && $0.archivedAt == nil }
            .filter { settings.delivery.sends($0.subject.type, through: channel.kind) }
            .filter { settings.enabled || !$0.subject.isLocation }
            .compactMap { try shown($0, viewer: viewer, settings: settings, in: transaction) }
        guard !left.isEmpty else { return false }
        let words = SummaryWords.leftOut(left.count)
        told.message.body += (told.message.body.isEmpty ? "" : "\n") + words
        // What is withdrawn of them while this is under way is not counted any more.
        told.stories.formUnion(left.flatMap { $0.content.map(\.id) })
        return true
    }

    /// A sample that tells nothing of anybody, made as a backend's message to this user is.
    func sample(_ entry: OutboxEntry, through kind: ChannelKind, settings: NotificationSettings) -> ChannelMessage {
        DeliveryWords.sample(
            entry.message,
            of: entry.user,
            at: entry.createdAt,
            preview: settings.preview,
            links: DeliveryLinks(desk: desk, kind: kind, template: settings.linkTemplate)
        )
    }

    /// The e-mail that asks whether an address is the user's.
    func confirmation(_ entry: OutboxEntry, _ code: String) -> ChannelMessage {
        var message = ChannelMessage(
            id: entry.message,
            type: entry.type.rawValue,
            title: "Is this your address?",
            body: """
                Somebody asked for notifications of Waymark to be sent to this address. If it was you, give the app this \
                code: \(code). If not, do nothing: nothing else will be sent.
                """,
            occurredAt: entry.createdAt
        )
        message.link = desk.address + "/"
        return message
    }
}

/// The words of notifications as channels carry them.
enum DeliveryWords: Sendable {
    /// What a backend tells, without its body unless its user wants to see everything; a sample is treated alike.
    ///
    /// Nobody here knows what it says: who has stories counted instead of named has not asked for others' words either.
    static func brief(_ item: FeedItem, preview: NotificationSettings.Preview) -> FeedItem {
        guard preview != .full, case .message(let message) = item.subject,
            !message.type.isReserved || message.type == .test
        else { return item }
        return item.reworded(item.subject, title: item.title, body: "")
    }

    /// One notification as a channel carries it.
    static func message(
        of item: FeedItem,
        preview: NotificationSettings.Preview,
        links: DeliveryLinks
    ) -> ChannelMessage {
        var message = ChannelMessage(
            id: item.id,
            type: item.subject.type.rawValue,
            title: preview == .none ? "Waymark" : item.title,
            body: preview == .none ? "You have a new notification" : item.body,
            occurredAt: item.at,
            detectedAt: item.createdAt
        )
        message.isSimulated = item.isSimulated
        // The link says only that there is something, and nothing of its words.
        message.shortLink = links.notice(item.id)
        message.link = preview == .none ? message.shortLink : links.page(of: item)
        message.appLink = links.app(of: item, namesSubject: preview != .none)
        guard preview != .none else { return message }
        message.subject = MailSubject.words(for: item, preview: preview)
        message.contentIDs = item.content.map(\.id)
        if let visit = item.visit {
            let id = PlaceID(visit.place).description
            message.kind = visit.kind
            message.place = .init(id: id, name: visit.placeName)
            message.confidence = visit.confidence
            message.group = "place \(id)"
        }
        return message
    }

    /// A sample: a message of a backend's, on the very way that such a message takes.
    static func sample(
        _ id: String,
        of user: UserID,
        at time: Timestamp,
        preview: NotificationSettings.Preview,
        links: DeliveryLinks
    ) -> ChannelMessage {
        let item = FeedItem(
            id: id,
            user: user,
            at: time,
            createdAt: time,
            subject: .message(.init(type: .test, link: "/")),
            title: "A test from Waymark",
            body: "This is a test. Notifications reach you here."
        )
        return message(of: brief(item, preview: preview), preview: preview, links: links)
    }
}
