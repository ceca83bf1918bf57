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
            ("TraceReport", NoticeJSON.traceReportSchema), ("FencePack", FenceJSON.packSchema),
            ("FenceEntryInput", FenceJSON.entryInput),
            ("FenceEntry", FenceJSON.entrySchema), ("DeviceInput", FenceJSON.deviceInput),
            ("Device", FenceJSON.deviceSchema),
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
                "Of what is opened, else the notification's."
            ),
        ]),
        required: true,
        "What it is about: the story, the list at /v1/notifications/{notification}/stories, or something else."
    )

    private static let batch = Schema.object([
        .init(
            "device",
            .text(minBytes: 1, maxBytes: StoryLimits.deviceLength),
            required: true,
            "The caller's own name for the device."
        ),
        .init(
            "fixes",
            .array(.judgedLater(fix), maxItems: StoryLimits.fixCount),
            required: true,
            "One that cannot be read is rejected by itself."
        ),
    ])

    /// A position in a batch.
    static let fix = Schema.object([
        .init("t", .text(minBytes: 1, maxBytes: 40), required: true, "When, RFC 3339."),
        .init("lat", .number(-1e9...1e9), required: true, "Latitude in degrees."),
        .init("lon", .number(-1e9...1e9), required: true, "Longitude in degrees."),
        .init("acc", .nullable(.number(-1e9...1e9)), "Accuracy in metres, 68 %."),
        .init("speed", .nullable(.number(-1e9...1e9)), "Metres per second."),
        .init("course", .nullable(.number(-1e9...1e9)), "Degrees clockwise from north."),
        .init("seq", .nullable(.integer(0...(1 << 53))), "The device's running number."),
    ])

    private static let report = Schema.object([
        .init("accepted", count, required: true), .init("duplicate", count, required: true),
        .init("late", count, required: true), .init("suspect", count, required: true),
        .init(
            "rejected",
            .array(
                .object([
                    .init("i", count, required: true, "Its number in the batch, from 0."),
                    .init("why", name, required: true, "The reason in a word."),
                    .init("field", name, required: true, "Where it lies."),
                    .init("message", name, required: true, "What is wrong, and what would be better."),
                ])
            ),
            required: true,
            "Those that decide nothing. What is a day old is among them; what is merely late counts as late."
        ),
        .init("notifications", .array(.hexID), required: true),
        .init("monitoring", .word(["on", "off"]), required: true),
    ])

    private static let placeChoices: [Schema.Member] = [
        .init("place_id", .text(minBytes: 2, maxBytes: 14), required: true),
        .init("enabled", .boolean, "false: nothing is announced there."),
        .init("muted_until", .nullable(.judgedLater(instant)), "Until then nothing is announced there."),
        .init(
            "radius",
            .nullable(.number(NotificationSettings.radii)),
            "Instead of the radius everywhere else, in metres."
        ),
        .init(
            "kinds",
            .nullable(.array(.kind, maxItems: StoryLimits.kindCount)),
            "Instead of the kinds everywhere else."
        ),
    ]
    private static let places = Schema.Member(
        "places",
        .array(.object(placeChoices), maxItems: PlaceSetting.most),
        "Places with settings of their own; the list takes the place of the one before."
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
                            "What it was called when it was announced last, else the settlement it lies in."
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
            .init("enabled", .boolean), .init("radius", .number(NotificationSettings.radii), "Metres."),
            .init(
                "kinds",
                .array(.kind, maxItems: StoryLimits.kindCount),
                "Wanted kinds, of the service's own or the operator's; family_object means three. An empty list means all."
            ),
            .init("notify_own", .boolean), .init("notify_viewed", .boolean),
            .init(
                "min_dwell",
                .integer(NotificationSettings.dwells),
                "Seconds that a stay must last before it is told; 0: none."
            ),
            .init(
                "max_speed",
                .nullable(.number(NotificationSettings.speeds)),
                "Metres per second above which nothing is told of a place, until slower while still there; null: no limit."
            ),
            .init(
                "keep_fixes_days",
                .integer(NotificationSettings.retentions),
                "Days that fixes are kept as they came; 0: none."
            ),
            .init(
                "preview",
                .word(NotificationSettings.Preview.allCases.map(\.rawValue)),
                "How much notifications say. full: the place, how many stories of which kinds, who tells them, a single "
                    + "one's title, all that an app's backend says. count (at first): the place and how many stories; of "
                    + "what a backend says channels carry the title without the body. none: only that there is something; "
                    + "what a backend says stands in the feed."
            ),
        ] + DeliverySchemas.choices
    private static let consentVersion = Schema.Member(
        "consent_version",
        .identifier,
        "The version of the explanation that is agreed to."
    )

    private static let settings = Schema.object(
        choices.map { .init($0.name, $0.schema, required: true, $0.description) } + [
            shownPlaces, .init("consent_version", .nullable(name), required: true),
            .init("consent_at", .nullable(instant), required: true),
            .init("explanation", .text(maxBytes: 4_000), required: true, "What turning it on means."),
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
                .init("id", .text(minBytes: 2, maxBytes: 14), required: true, "As on the map and among the fences."),
                .init("name", name, required: true), .init("lat", .number(-90...90), required: true),
                .init("lon", .number(-180...180), required: true),
                .init("named_place", .hexID, "The named place that gave it its name."),
            ]),
            required: true,
            "The place entered first, of several at once the nearest; the body names others told with it."
        ),
        .init("count", count, required: true),
        .init("content_ids", .array(.hexID), required: true),
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
            .init("count", count, "How many stories it is about; left out where it is about none."),
            .init("content_ids", .array(.hexID)),
        ]
    )

    private static let page = Schema.object([
        .init("notifications", .array(.named("Notification")), required: true),
        .init("links", .object([.init("next", .nullable(name), required: true)]), required: true),
    ])
}
