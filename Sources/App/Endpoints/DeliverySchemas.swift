import Web
import Notifications
import Stories

/// The schemas of delivery settings.
enum DeliverySchemas: Sendable {
    /// The members of notification settings that concern delivery.
    static let choices: [Schema.Member] = [
        .init("everything", .boolean, "false: no notifications of any type."),
        .init(
            "channels",
            channels,
            "The channels to switch on or off for all types. In a change, omitted channels are unchanged; initially, "
                + "all are on."
        ),
        .init(
            "types",
            .array(type, maxItems: DeliveryChoices.mostTypes),
            "Settings per type; replaces the previous list. Types with their own settings: "
                + "\(NoticeType.own.map(\.rawValue).joined(separator: ", ")), or a type used by an app's backend, such "
                + "as comment.new."
        ),
        .init("time_zone", .text(minBytes: 1, maxBytes: 64), "The time zone of quiet hours and digests (IANA)."),
        .init(
            "language",
            .word(DateLanguage.all.map(\.tag)),
            "The date format of e-mails: en 21 November 2026 at 13:00, en-US November 21, 2026 at 1:00 PM."
        ),
        .init(
            "link_template",
            .nullable(.judgedLater(.text(minBytes: 1, maxBytes: LinkTemplate.mostBytes))),
            "The template of links to the caller's app, such as myapp://{kind}/{id}?n={notification}, with a scheme "
                + "that the operator allows (serve --link-scheme). {kind} is story, stories, family, invitation, sync, "
                + "channel or notification; {id} is its id, or the notification's for stories, sync and notification; "
                + "{type} is also available. null: the page of this service. E-mails and browsers always get the page. "
                + "A backend's own links are unchanged."
        ),
        .init(
            "quiet_hours",
            .array(window, maxItems: QuietHours.mostWindows),
            "The hours in which channels are silent; replaces the previous list. Notifications from these hours are "
                + "sent together afterwards if neither read nor archived: their number and, unless preview is none, "
                + "the first of them."
        ),
        .init(
            "caps",
            caps,
            "The maximum number of messages per channel. Omitted members are unchanged; null means no limit. Further "
                + "notifications appear only in the feed and are not sent later. The next message through that channel "
                + "reports their number, unless preview is none."
        ),
        .init("digest", digest, "How often an e-mail summarises notifications. Omitted members are unchanged."),
    ]

    /// The settings that currently have no effect.
    static let notes = Schema.Member(
        "notes",
        .array(
            .object([
                .init("field", .text(maxBytes: 100), required: true),
                .init("message", .text(maxBytes: 500), required: true),
            ])
        ),
        required: true,
        "Settings that are stored but currently have no effect, such as a digest without a confirmed e-mail address."
    )

    private static let channels = Schema.object(ChannelKind.allCases.map { .init($0.rawValue, .boolean) })
    private static let type = Schema.object([
        .init(
            "type",
            .text(minBytes: 1, maxBytes: NoticeType.length, pattern: TextPattern.noticeType),
            required: true,
            "The type, such as story.nearby."
        ),
        .init("enabled", .boolean, "false: no notifications of this type."), .init("channels", channels),
    ])
    // Checked by the parser, whose error shows the expected form of a time.
    private static let clock = Schema.judgedLater(.text(minBytes: 5, maxBytes: 5))
    private static let window = Schema.object([
        .init(
            "days",
            .array(.word(Weekday.allCases.map(\.rawValue)), maxItems: 7),
            "The days on which the window begins."
        ),
        .init("from", clock, required: true, "The start as HH:MM, such as 09:00."),
        .init(
            "to",
            clock,
            required: true,
            "The end as HH:MM, at the latest 24:00. An end before from is on the next day."
        ),
    ])
    private static let caps = Schema.object([
        .init("per_hour", .nullable(.integer(DeliveryCaps.counts))),
        .init("per_day", .nullable(.integer(DeliveryCaps.counts))),
        .init("min_interval", .integer(DeliveryCaps.pauses), "The minimum time between two messages in seconds."),
    ])
    private static let digest = Schema.object([
        .init("every", .word(DigestSchedule.Every.allCases.map(\.rawValue))),
        .init("day", .word(Weekday.allCases.map(\.rawValue)), "The day of a weekly digest."),
        .init("hour", .integer(0...23)),
        .init(
            "instead",
            .boolean,
            "true: the digest replaces e-mails for single notifications, except invitations."
        ),
    ])
}
