public import Formats
import Geometry
public import Notifications
import Stories

/// The JSON of notifications and their settings.
public enum NoticeJSON: Sendable {
    static func report(_ report: FixReport) -> [UInt8] {
        var json = JSONWriter(capacity: 400)
        json.beginObject()
        for (name, count) in [
            ("accepted", report.accepted), ("duplicate", report.duplicate), ("late", report.late),
            ("suspect", report.suspect),
        ] {
            json.key(name)
            json.value(count)
        }
        json.key("rejected")
        json.beginArray()
        for (index, reason) in report.rejected.sorted(by: { $0.index < $1.index }) {
            json.beginObject()
            json.key("i")
            json.value(index)
            json.key("why")
            json.value(reason)
            json.endObject()
        }
        json.endArray()
        json.key("notifications")
        json.value(report.notices.map(\.id))
        json.key("monitoring")
        json.value(report.isMonitoring ? "on" : "off")
        json.endObject()
        return json.bytes
    }

    static func settings(_ settings: NotificationSettings) -> [UInt8] {
        var json = JSONWriter(capacity: 800)
        json.beginObject()
        json.key("enabled")
        json.value(settings.enabled)
        json.key("radius")
        json.value(settings.radius)
        json.key("kinds")
        json.value(settings.kinds.map(\.rawValue).sorted())
        json.key("notify_own")
        json.value(settings.notifiesOwn)
        json.key("min_dwell")
        json.value(settings.minimumDwell)
        json.key("max_speed")
        if let speed = settings.maximumSpeed { json.value(speed) } else { json.null() }
        json.key("preview")
        json.value(settings.preview.rawValue)
        json.key("consent_version")
        json.value(settings.consentVersion)
        json.key("consent_at")
        json.value(settings.consentAt.map { RFC3339.format($0) })
        json.key("explanation")
        json.value(Consent.explanation)
        json.endObject()
        return json.bytes
    }

    static func page(_ items: [FeedItem], next: String?) -> [UInt8] {
        var json = JSONWriter(capacity: 600 * (items.count + 1))
        json.beginObject()
        json.key("notifications")
        json.beginArray()
        for item in items {
            json.beginObject()
            writeMembers(of: item, to: &json)
            json.key("created_at")
            json.value(RFC3339.format(item.createdAt))
            json.key("read")
            json.value(item.readAt != nil)
            json.key("simulated")
            json.value(item.isSimulated)
            json.key("url")
            json.value(url(of: item))
            json.endObject()
        }
        json.endArray()
        json.key("links")
        json.beginObject()
        json.key("next")
        json.value(next)
        json.endObject()
        json.endObject()
        return json.bytes
    }

    /// Where a notification leads: the map at its place, with the stories there in the list.
    static func url(of item: FeedItem) -> String {
        let place = item.place
        return "/#map=17/\(place.latitude)/\(place.longitude)"
    }

    /// Writes a notification as `waymark replay --format ndjson` prints it.
    public static func writeLine(_ item: FeedItem, to json: inout JSONWriter) {
        json.beginObject()
        writeMembers(of: item, to: &json)
        json.endObject()
        json.endLine()
    }

    private static func writeMembers(of item: FeedItem, to json: inout JSONWriter) {
        json.key("id")
        json.value(item.id)
        json.key("notification_id")
        json.value(item.id)
        json.key("type")
        json.value("story.nearby")
        json.key("at")
        json.value(RFC3339.format(item.at))
        json.key("kind")
        json.value(item.kind.rawValue)
        json.key("place")
        json.beginObject()
        json.key("name")
        json.value(item.placeName)
        json.key("lat")
        json.degrees(item.place.latitude)
        json.key("lon")
        json.degrees(item.place.longitude)
        json.endObject()
        json.key("count")
        json.value(item.content.count)
        json.key("content_ids")
        json.value(item.content.map(\.id.description))
        json.key("source_ids")
        json.value(item.content.compactMap(\.sourceID))
        json.key("title")
        json.value(item.title)
        json.key("body")
        json.value(item.body)
        json.key("confidence")
        json.value(item.confidence)
    }
}

/// What fixes and notifications look like.
enum NoticeSchemas: Sendable {
    static let all: [(name: String, schema: Schema)] = [
        ("FixBatch", batch), ("FixReport", report), ("NotificationSettingsInput", .object(choices + [consentVersion])),
        ("NotificationSettings", settings), ("Notification", notification), ("NotificationPage", page),
    ]

    private static let instant = Schema.text(minBytes: 20, maxBytes: 40, format: "date-time")
    private static let count = Schema.integer(0...Int(Int32.max))
    private static let name = Schema.text(maxBytes: 1_000)

    private static let batch = Schema.object([
        .init("device", .text(minBytes: 1, maxBytes: 64), required: true, "The caller's own name for the device."),
        .init(
            "fixes",
            .array(
                .object([
                    .init("t", .text(minBytes: 1, maxBytes: 40), required: true, "When, RFC 3339."),
                    .init("lat", .number(-1e9...1e9), required: true, "Latitude in degrees."),
                    .init("lon", .number(-1e9...1e9), required: true, "Longitude in degrees."),
                    .init("acc", .nullable(.number(-1e9...1e9)), "Accuracy in metres, 68 %."),
                    .init("speed", .nullable(.number(-1e9...1e9)), "Metres per second."),
                    .init("course", .nullable(.number(-1e9...1e9)), "Degrees clockwise from north."),
                    .init("seq", .nullable(.integer(0...(1 << 53))), "The device's running number."),
                ]),
                maxItems: 5_000
            ),
            required: true
        ),
    ])

    private static let report = Schema.object([
        .init("accepted", count, required: true), .init("duplicate", count, required: true),
        .init("late", count, required: true), .init("suspect", count, required: true),
        .init(
            "rejected",
            .array(.object([.init("i", count, required: true), .init("why", name, required: true)])),
            required: true
        ),
        .init("notifications", .array(.text(minBytes: 32, maxBytes: 32)), required: true),
        .init("monitoring", .word(["on", "off"]), required: true),
    ])

    private static let choices: [Schema.Member] = [
        .init("enabled", .boolean), .init("radius", .number(NotificationSettings.radii), "Metres."),
        .init(
            "kinds",
            .array(.text(minBytes: 1, maxBytes: 32), maxItems: 64),
            "Wanted kinds; an empty list means all."
        ),
        .init("notify_own", .boolean), .init("min_dwell", .integer(NotificationSettings.dwells), "Seconds."),
        .init("max_speed", .nullable(.number(NotificationSettings.speeds)), "Metres per second."),
        .init("preview", .word(NotificationSettings.Preview.allCases.map(\.rawValue))),
    ]
    private static let consentVersion = Schema.Member(
        "consent_version",
        .text(minBytes: 1, maxBytes: 64),
        "The version of the explanation that is agreed to."
    )

    private static let settings = Schema.object(
        choices.map { .init($0.name, $0.schema, required: true, $0.description) } + [
            .init("consent_version", .nullable(name), required: true),
            .init("consent_at", .nullable(instant), required: true),
            .init("explanation", .text(maxBytes: 4_000), required: true, "What turning it on means."),
        ]
    )

    private static let notification = Schema.object([
        .init("id", .text(minBytes: 32, maxBytes: 32), required: true),
        .init("notification_id", .text(minBytes: 32, maxBytes: 32), required: true),
        .init("type", .constant("story.nearby"), required: true),
        .init("at", instant, required: true), .init("created_at", instant, required: true),
        .init("kind", .word(["entered", "passed"]), required: true),
        .init(
            "place",
            .object([
                .init("name", name, required: true), .init("lat", .number(-90...90), required: true),
                .init("lon", .number(-180...180), required: true),
            ]),
            required: true
        ),
        .init("count", count, required: true),
        .init("content_ids", .array(.text(minBytes: 32, maxBytes: 32)), required: true),
        .init("source_ids", .array(name), required: true),
        .init("title", name, required: true), .init("body", name, required: true),
        .init("confidence", .number(0...1), required: true),
        .init("read", .boolean, required: true), .init("simulated", .boolean, required: true),
        .init("url", name, required: true),
    ])

    private static let page = Schema.object([
        .init("notifications", .array(.named("Notification")), required: true),
        .init("links", .object([.init("next", .nullable(name), required: true)]), required: true),
    ])
}
