import Web
import Library
import Formats
import Notifications
import Stories

/// The schemas of fixes and notifications.
enum NoticeSchemas: Sendable {
    static let all: [(name: String, schema: Schema)] =
        [
            ("FixBatch", batch), ("TraceFile", .text(maxBytes: FixEndpoints.traceBytes)),
            ("TraceReport", NoticeJSON.traceReportSchema), ("WalkReport", WalkSchemas.report),
            ("FencePack", FenceJSON.packSchema),
            ("FenceEntryInput", FenceJSON.entryInput),
            ("FenceEntry", FenceJSON.entrySchema), ("DeviceInput", FenceJSON.deviceInput),
            ("Device", FenceJSON.deviceSchema), ("DeviceReports", FenceJSON.reportsSchema),
            ("KeptFixPage", KeptFixJSON.pageSchema), ("FixExplanation", KeptFixJSON.explanationSchema),

            ("AppMessage", .object([], open: true)), ("FixReport", report),
            ("NotificationSettingsInput", .object(choices + [places, consentVersion])),
            ("NotificationSettings", settings), ("NearbyNotification", nearby), ("FamilyNotification", familyDeleted),
            ("NewStoriesNotification", newStories), ("MessageNotification", message),
            (
                "Notification",
                .either([
                    .named("NearbyNotification"), .named("FamilyNotification"), .named("NewStoriesNotification"),
                    .named("MessageNotification"), .named("GoneNotification"),
                ])
            ),
            ("NotificationPage", page), ("GoneNotification", gone),
        ] + FeedSchemas.all

    private static let instant = Schema.text(minBytes: 20, maxBytes: 40, format: "date-time")
    private static let count = Schema.integer(0...Int(Int32.max))
    private static let name = Schema.text(maxBytes: 1_000)

    private static let opens = Schema.Member(
        "opens",
        .object([
            .init(
                "kind",
                .word(["story", "stories", "family", "invitation", "sync", "channel", "notification"]),
                required: true
            ),
            .init(
                "id",
                .text(minBytes: 1, maxBytes: 64),
                required: true,
                "The id of the object to open, or else of the notification."
            ),
        ]),
        required: true,
        "The object that the notification is about: the story, the list at /v1/notifications/{notification}/stories, "
            + "or something else."
    )

    private static let batch = Schema.object([
        .init("device", .deviceName, required: true, "The caller's name for the device."),
        .init(
            "fixes",
            .array(.judgedLater(fix), maxItems: StoryLimits.fixCount),
            required: true,
            "The positions. An unreadable one is rejected without affecting the others."
        ),
    ])

    /// A position in a batch.
    static let fix = Schema.object([
        .init("t", .text(minBytes: 1, maxBytes: 40), required: true, "The time of the fix (RFC 3339)."),
        .init("lat", .number(-1e9...1e9), required: true, "Latitude in degrees."),
        .init("lon", .number(-1e9...1e9), required: true, "Longitude in degrees."),
        .init("acc", .nullable(.number(-1e9...1e9)), "The accuracy in metres (68 % confidence)."),
        .init("speed", .nullable(.number(-1e9...1e9)), "The speed in metres per second."),
        .init("course", .nullable(.number(-1e9...1e9)), "The course in degrees clockwise from north."),
        .init("seq", .nullable(.integer(0...(1 << 53))), "The device's sequence number."),
    ])

    private static let report = Schema.object([
        .init("accepted", count, required: true), .init("duplicate", count, required: true),
        .init("late", count, required: true), .init("suspect", count, required: true),
        .init(
            "rejected",
            .array(
                .object([
                    .init("i", count, required: true, "The index in the batch, from 0."),
                    .init("why", name, required: true, "The reason as one word."),
                    .init("field", name, required: true, "The field in error."),
                    .init("message", name, required: true, "The problem and the expected value."),
                ])
            ),
            required: true,
            "The fixes that have no effect. These include fixes a day old; fixes that are merely late count as late."
        ),
        .init("notifications", .array(.hexID), required: true),
        .init("monitoring", .word(["on", "off"]), required: true),
    ])

    private static let placeChoices: [Schema.Member] = [
        .init("place_id", .text(minBytes: 2, maxBytes: 14), required: true),
        .init("enabled", .boolean, "false: nothing is announced there."),
        .init("muted_until", .nullable(.judgedLater(instant)), "The time until which nothing is announced there."),
        .init(
            "radius",
            .nullable(.number(NotificationSettings.radii)),
            "The radius there in metres, instead of the general one."
        ),
        .init(
            "kinds",
            .nullable(.array(.kind, maxItems: StoryLimits.kindCount)),
            "The kinds there, instead of the general ones."
        ),
    ]
    private static let places = Schema.Member(
        "places",
        .array(.object(placeChoices), maxItems: PlaceSetting.most),
        "The places with their own settings; replaces the previous list."
    )
    private static let shownPlaces = Schema.Member(
        "places",
        .array(
            .object(
                placeChoices.map { .init($0.name, $0.schema, required: true, $0.description) }
                    + [
                        .init(
                            "name",
                            .nullable(name),
                            required: true,
                            "The name under which it was last announced, or else the settlement it lies in."
                        ),
                        .init("last_announced", .nullable(instant), required: true),
                    ]
            ),
            maxItems: PlaceSetting.most
        ),
        required: true
    )

    private static let choices: [Schema.Member] =
        [
            .init("enabled", .boolean), .init("radius", .number(NotificationSettings.radii), "The radius in metres."),
            .init(
                "kinds",
                .array(.kind, maxItems: StoryLimits.kindCount),
                "The wanted kinds, of the service or the operator; family_object stands for three. An empty list means "
                    + "all."
            ),
            .init("notify_own", .boolean), .init("notify_viewed", .boolean),
            .init(
                "min_dwell",
                .integer(NotificationSettings.dwells),
                "The minimum duration of a stay in seconds before it is announced; 0: none."
            ),
            .init(
                "max_speed",
                .nullable(.number(NotificationSettings.speeds)),
                "The maximum speed in metres per second. A place entered faster is announced only once the speed drops "
                    + "while still there; null: no limit."
            ),
            .init(
                "keep_fixes_days",
                .integer(NotificationSettings.retentions),
                "The number of days for which fixes are kept as received; 0: none."
            ),
            .init(
                "preview",
                .word(NotificationSettings.Preview.allCases.map(\.rawValue)),
                "The amount of detail in notifications. full: the place, the number of stories by kind, their authors, "
                    + "the title of a single story, and the full text from an app's backend. count (default): the "
                    + "place and the number of stories; channels carry the title of a backend's notification without "
                    + "its body. none: only that there is a notification; the text from a backend appears in the feed."
            ),
        ] + DeliverySchemas.choices
    private static let consentVersion = Schema.Member(
        "consent_version",
        .identifier,
        "The version of the explanation to which the user agrees."
    )

    private static let settings = Schema.object(
        choices.map { .init($0.name, $0.schema, required: true, $0.description) } + [
            shownPlaces, .init("consent_version", .nullable(name), required: true),
            .init("consent_at", .nullable(instant), required: true),
            .init("explanation", .text(maxBytes: 4_000), required: true, "An explanation of what opting in means."),
            DeliverySchemas.notes,
        ]
    )

    private static let nearby = Schema.object([
        .init("id", .hexID, required: true),
        .init("notification_id", .hexID, required: true),
        .init("type", .constant("story.nearby"), required: true),
        .init("at", instant, required: true), .init("created_at", instant, required: true),
        .init("kind", .word(["entered", "passed"]), required: true),
        .init(
            "place",
            .object([
                .init(
                    "id",
                    .text(minBytes: 2, maxBytes: 14),
                    required: true,
                    "The place's id, as on the map and in the fences."
                ),
                .init("name", name, required: true), .init("lat", .number(-90...90), required: true),
                .init("lon", .number(-180...180), required: true),
                .init("named_place", .hexID, "The named place from which the name comes."),
            ]),
            required: true,
            "The place entered first; if several were entered at once, the nearest. The body names the others "
                + "announced with it."
        ),
        .init("count", count, required: true),
        .init("content_ids", .array(.hexID), required: true),
        .init(
            "story_places",
            .array(
                .object([.init("story", .hexID, required: true), .init("story_place", .hexID, required: true)])
            ),
            "The further places at which stories were announced; absent if all were at their own locations."
        ),
        .init("title", name, required: true), .init("body", name, required: true),
        .init("confidence", .number(0...1), required: true),
        .init("read", .boolean, required: true), .init("archived", .boolean, required: true),
        .init("opened", .boolean, required: true), .init("simulated", .boolean, required: true), opens,
        .init("url", name, required: true),
    ])

    private static let familyDeleted = plain("family.deleted")
    private static let gone = plain("gone")

    /// Returns the schema of a notification that names no place.
    private static func plain(_ type: String) -> Schema {
        .object([
            .init("id", .hexID, required: true),
            .init("notification_id", .hexID, required: true),
            .init("type", .constant(type), required: true),
            .init("at", instant, required: true), .init("created_at", instant, required: true),
            .init("title", name, required: true), .init("body", name, required: true),
            .init("read", .boolean, required: true), .init("archived", .boolean, required: true),
            .init("opened", .boolean, required: true), .init("simulated", .boolean, required: true), opens,
            .init("url", name, required: true),
        ])
    }

    private static func told(_ type: Schema, _ members: [Schema.Member]) -> Schema {
        Schema.object(
            [
                .init("id", .hexID, required: true),
                .init("notification_id", .hexID, required: true),
                .init("type", type, required: true),
                .init("at", instant, required: true), .init("created_at", instant, required: true),
                .init("title", name, required: true), .init("body", name, required: true),
                .init("read", .boolean, required: true), .init("archived", .boolean, required: true),
                .init("opened", .boolean, required: true), .init("simulated", .boolean, required: true), opens,
                .init("url", .text(maxBytes: 2_000), required: true),
            ] + members
        )
    }
    private static let newStories = told(
        .constant("family.new_story"),
        [
            .init("author", .identifier, required: true), .init("count", count, required: true),
            .init("content_ids", .array(.hexID), required: true),
        ]
    )
    private static let message = told(
        .text(minBytes: 1, maxBytes: NoticeType.length),
        [
            .init("details", .object([], open: true), required: true, "Texts for programs, by name."),
            .init("count", count, "The number of stories concerned; absent if there are none."),
            .init("content_ids", .array(.hexID)),
        ]
    )

    private static let page = Schema.object([
        .init("notifications", .array(.named("Notification")), required: true),
        .init("links", .object([.init("next", .nullable(name), required: true)]), required: true),
    ])
}
