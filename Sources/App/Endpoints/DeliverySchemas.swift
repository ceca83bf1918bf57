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
            "Channels switched on or off for all types; in a change those not named stay as they are, at first all are on."
        ),
        .init(
            "types",
            .array(type, maxItems: DeliveryChoices.mostTypes),
            "The list takes the place of the one before. Types with a choice of their own: \(NoticeType.own.map(\.rawValue).joined(separator: ", ")), or a word that an "
                + "app's backend uses, such as comment.new."
        ),
        .init("time_zone", .text(minBytes: 1, maxBytes: 64), "By whose clock quiet hours and digests go (IANA)."),
        .init(
            "language",
            .word(DateLanguage.all.map(\.tag)),
            "How dates are written in e-mails: en 21 November 2026 at 13:00, en-US November 21, 2026 at 1:00 PM."
        ),
        .init(
            "link_template",
            .nullable(.judgedLater(.text(minBytes: 1, maxBytes: LinkTemplate.mostBytes))),
            "How links to the caller's app are written, such as myapp://{kind}/{id}?n={notification}, of a scheme that the "
                + "operator allows (serve --link-scheme). {kind} is story, stories, family, invitation, sync, channel or "
                + "notification, {id} the id of that, of stories, sync and notification the notification's; also {type}. "
                + "Null: the page of this service. E-mail and browsers get the page always, and a backend's own link stays."
        ),
        .init(
            "quiet_hours",
            .array(window, maxItems: QuietHours.mostWindows),
            "The list takes the place of the one before. When channels are silent; what comes then is sent afterwards, in one piece, if neither "
                + "read nor archived: how many there "
                + "are and, unless preview is none, the first of them."
        ),
        .init(
            "caps",
            caps,
            "The most that each channel is sent; what is not named stays, null is no limit. What is beyond is in the feed alone and is not sent later; the next "
                + "message through that channel says how many there are, unless preview is none."
        ),
        .init("digest", digest, "How often an e-mail says what was told; what is not named stays."),
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
        "What is stored but has no effect as things are, such as a digest without a confirmed e-mail address."
    )

    private static let channels = Schema.object(ChannelKind.allCases.map { .init($0.rawValue, .boolean) })
    private static let type = Schema.object([
        .init(
            "type",
            .text(minBytes: 1, maxBytes: NoticeType.length, pattern: TextPattern.noticeType),
            required: true,
            "Such as story.nearby."
        ),
        .init("enabled", .boolean, "false: none of this type."), .init("channels", channels),
    ])
    // Checked by the parser, whose error shows the expected form of a time.
    private static let clock = Schema.judgedLater(.text(minBytes: 5, maxBytes: 5))
    private static let window = Schema.object([
        .init("days", .array(.word(Weekday.allCases.map(\.rawValue)), maxItems: 7), "The days on which it begins."),
        .init("from", clock, required: true, "HH:MM, such as 09:00."),
        .init("to", clock, required: true, "HH:MM, 24:00 at the latest; before from: on the day after."),
    ])
    private static let caps = Schema.object([
        .init("per_hour", .nullable(.integer(DeliveryCaps.counts))),
        .init("per_day", .nullable(.integer(DeliveryCaps.counts))),
        .init("min_interval", .integer(DeliveryCaps.pauses), "Seconds between two."),
    ])
    private static let digest = Schema.object([
        .init("every", .word(DigestSchedule.Every.allCases.map(\.rawValue))),
        .init("day", .word(Weekday.allCases.map(\.rawValue)), "Of a weekly one."),
        .init("hour", .integer(0...23)),
        .init(
            "instead",
            .boolean,
            "true: it takes the place of e-mails for single notifications, but for invitations."
        ),
    ])
}
