import Notifications
import Stories

/// What choices of delivery look like.
enum DeliverySchemas: Sendable {
    /// The members of notification settings that concern delivery.
    static let choices: [Schema.Member] = [
        .init("everything", .boolean, "false: no notifications of any type."),
        .init("channels", channels, "Channels switched on or off for all types; those not named are on."),
        .init("types", .array(type, maxItems: DeliveryChoices.mostTypes), "Types with a choice of their own."),
        .init("time_zone", .text(minBytes: 1, maxBytes: 64), "By whose clock quiet hours and digests go (IANA)."),
        .init(
            "quiet_hours",
            .array(window, maxItems: QuietHours.mostWindows),
            "When channels are silent; what comes then is sent afterwards, in one piece, if still unread."
        ),
        .init("caps", caps, "The most that each channel is sent; the feed has everything."),
        .init("digest", digest, "How often an e-mail says what was told."),
    ]

    private static let channels = Schema.object(ChannelKind.allCases.map { .init($0.rawValue, .boolean) })
    private static let type = Schema.object([
        .init("type", .text(minBytes: 1, maxBytes: NoticeType.length), required: true, "Such as story.nearby."),
        .init("enabled", .boolean, "false: none of this type."), .init("channels", channels),
    ])
    private static let clock = Schema.text(minBytes: 5, maxBytes: 5)
    private static let window = Schema.object([
        .init("days", .array(.word(Weekday.allCases.map(\.rawValue)), maxItems: 7), "The days on which it begins."),
        .init("from", clock, required: true, "HH:MM."),
        .init("to", clock, required: true, "HH:MM; before from: on the day after."),
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
    ])
}
