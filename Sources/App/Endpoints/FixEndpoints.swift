import Formats
import Geometry
import HTTPTypes
import Notifications
import Storage
import Stories

/// The routes by which devices report where they are, and what comes of it.
struct FixEndpoints: Sendable {
    let library: StoryLibrary

    /// How far ahead a device's clock may be in milliseconds: an hour can be put right, days are no time.
    static let clockLead: Int64 = 86_400_000

    var all: [Endpoint] { [report, playTrace, keptFixes, explainFix, readSettings, changeSettings, feed] }

    private var report: Endpoint {
        Endpoint(
            method: .post,
            path: "/v1/fixes",
            name: "reportFixes",
            summary: "Positions of one of the caller's devices. While notifications are off they are not looked at.",
            access: .user,
            scope: .fixesWrite,
            cost: .normal,
            body: .init(schema: "FixBatch", maxBytes: 1 << 20),
            success: [
                .init(
                    status: .ok,
                    mediaType: MediaType.json,
                    schema: .named("FixReport"),
                    description: "What became of them; notifications are those decided by now."
                )
            ],
            handler: { call in
                let body = call.body ?? .null
                let (fixes, refused) = FixEndpoints.fixes(body["fixes"]?.array ?? [], now: library.now())
                var report = try await library.process(
                    fixes,
                    of: try call.user,
                    // A device's own key speaks for that device, whatever the body says.
                    device: call.principal.device ?? body["device"]?.string ?? "default"
                )
                if report.isMonitoring { report.rejected += refused }
                return Answer(body: NoticeJSON.report(report))
            }
        )
    }

    /// Reads fixes; those whose time cannot be read are named, the rest goes on.
    private static func fixes(
        _ values: [JSONValue],
        now: Timestamp
    ) -> (fixes: [(index: Int, fix: LiveFix)], refused: [(index: Int, reason: String)]) {
        var fixes: [(index: Int, fix: LiveFix)] = []
        var refused: [(index: Int, reason: String)] = []
        for (index, value) in values.enumerated() {
            guard let time = value["t"]?.string.flatMap({ RFC3339.parse($0) }),
                time.milliseconds <= now.milliseconds + FixEndpoints.clockLead
            else {
                refused.append((index, "time"))
                continue
            }
            guard let latitude = value["lat"]?.number, let longitude = value["lon"]?.number,
                let coordinate = Coordinate(latitude: latitude, longitude: longitude)
            else {
                refused.append((index, "position"))
                continue
            }
            let fix = LiveFix(
                time: time,
                coordinate: coordinate,
                accuracy: value["acc"]?.number,
                speed: value["speed"]?.number,
                course: value["course"]?.number,
                sequence: value["seq"]?.integer
            )
            fixes.append((index, fix))
        }
        return (fixes, refused)
    }

    private var readSettings: Endpoint {
        Endpoint(
            method: .get,
            path: "/v1/me/notification-settings",
            name: "readNotificationSettings",
            summary: "The caller's notification settings; off until they opt in.",
            access: .user,
            scope: .notificationsRead,
            success: [FixEndpoints.settings],
            handler: { call in
                let user = try call.user
                let settings = try await library.store.read { try $0.notificationSettings(of: user) }
                return try await answer(settings, of: user)
            }
        )
    }

    private var changeSettings: Endpoint {
        Endpoint(
            method: .put,
            path: "/v1/me/notification-settings",
            name: "changeNotificationSettings",
            summary: "Opts in or out and chooses radius and kinds. Opting out stops everything at once.",
            access: .user,
            scope: .notificationsManage,
            body: .init(schema: "NotificationSettingsInput", maxBytes: 16_384),
            success: [FixEndpoints.settings],
            handler: { call in
                let user = try call.user
                let body = call.body ?? .null
                let settings = try await library.changeSettings(of: user, source: .app) { settings, now in
                    try FixEndpoints.apply(body, to: &settings, at: now)
                }
                return try await answer(settings, of: user)
            }
        )
    }

    private static let settings = Endpoint.Success(
        status: .ok,
        mediaType: MediaType.json,
        schema: .named("NotificationSettings"),
        description: "The settings."
    )

    private static func apply(_ body: JSONValue, to settings: inout NotificationSettings, at now: Timestamp) throws {
        do {
            if let radius = body["radius"]?.number { settings.radius = radius }
            if let kinds = body["kinds"]?.array {
                settings.kinds = try NotificationSettings.kinds(named: kinds.compactMap(\.string))
            }
            if let own = body["notify_own"]?.bool { settings.notifiesOwn = own }
            if let viewed = body["notify_viewed"]?.bool { settings.notifiesViewed = viewed }
            if let dwell = body["min_dwell"]?.integer { settings.minimumDwell = dwell }
            if let places = body["places"]?.array { settings.places = try places.enumerated().map(place) }
            if let days = body["keep_fixes_days"]?.integer { settings.keptDays = days }
            if let preview = body["preview"]?.string.flatMap(NotificationSettings.Preview.init) {
                settings.preview = preview
            }
            switch body["enabled"]?.bool {
            case true?:
                let agreed = body["consent_version"]?.string ?? Consent.version
                guard agreed == Consent.version else {
                    let message = "must be \(Consent.version), the version of the explanation as it is now"
                    throw Problem.body([FieldProblem(field: "consent_version", message: message)])
                }
                try settings.optIn(at: now, version: agreed)
            case false? where settings.enabled: settings.optOut()
            default: break
            }
            try settings.validate()
        } catch let error as NotificationSettingsError {
            throw Problem.body(error.problems.map { FieldProblem(field: $0.field, message: $0.message) })
        }
    }

    private static func place(_ index: Int, _ body: JSONValue) throws -> PlaceSetting {
        guard let place = body["place_id"]?.string.flatMap({ PlaceID($0) }) else {
            let message = "is not the id of a place, as the map and the fences give it"
            throw Problem.body([FieldProblem(field: "places[\(index)].place_id", message: message)])
        }
        var setting = PlaceSetting(place: place)
        setting.isEnabled = body["enabled"]?.bool ?? true
        setting.radius = body["radius"]?.number
        if let text = body["muted_until"]?.string {
            guard let time = RFC3339.parse(text) else {
                let message = "must be a time such as 2026-11-21T13:00:00Z"
                throw Problem.body([FieldProblem(field: "places[\(index)].muted_until", message: message)])
            }
            setting.mutedUntil = time
        }
        setting.kinds = try body["kinds"]?.array
            .map { try NotificationSettings.kinds(named: $0.compactMap(\.string)) }
        return setting
    }

    /// The settings with when each of their places was announced last.
    private func answer(_ settings: NotificationSettings, of user: UserID) async throws -> Answer {
        let latest = settings.places.isEmpty ? [:] : try await library.store.read { try $0.lastAnnounced(to: user) }
        return Answer(body: NoticeJSON.settings(settings, lastAnnounced: latest))
    }

    private var feed: Endpoint {
        Endpoint(
            method: .get,
            path: "/v1/notifications",
            name: "listNotifications",
            summary: "The caller's notifications, newest first.",
            access: .user,
            scope: .notificationsRead,
            parameters: [
                .init("limit", .integer(1...100), "The most on a page; 30 unless said."),
                .init("cursor", .text(minBytes: 1, maxBytes: 100), "Where the next page begins, from links."),
                .init("unread", .word(["true", "false"]), "true: only those not yet read."),
            ],
            success: [
                .init(
                    status: .ok,
                    mediaType: MediaType.json,
                    schema: .named("NotificationPage"),
                    description: "A page."
                )
            ],
            handler: { call in
                let user = try call.user
                let limit = try call.integer("limit") ?? 30
                let unread = call.text("unread") == "true"
                guard ["true", "false", nil].contains(call.text("unread")) else {
                    throw Problem.parameter("unread", "must be true or false")
                }
                let after = try call.text("cursor").map(FixEndpoints.position)
                let items = try await library.feed(
                    of: user,
                    service: call.viewer.service,
                    unreadOnly: unread,
                    after: after,
                    limit: limit + 1
                )
                let page = Array(items.prefix(limit))
                let next = items.count > limit ? page.last.map { "\($0.createdAt.milliseconds)-\($0.id)" } : nil
                return Answer(body: NoticeJSON.page(page, next: next.map { call.address(adding: "cursor", $0) }))
            }
        )
    }

    /// The position a cursor stands for: the time and id of an item of the caller's own feed.
    private static func position(_ text: String) throws -> (createdAt: Timestamp, id: String) {
        let sides = text.split(separator: "-", maxSplits: 1)
        guard sides.count == 2, let time = Int64(sides[0]), StoryID(sides[1]) != nil else {
            throw Problem.parameter("cursor", "is not one that this list gave out")
        }
        return (Timestamp(milliseconds: time), String(sides[1]))
    }
}

/// What a user agrees to when turning notifications on.
public enum Consent: Sendable {
    /// The version of the explanation below; it changes with every change of its meaning.
    public static let version = "2026-11"
    /// What is stored and why.
    public static let explanation = """
        Waymark compares the positions your devices send with places that have stories, to tell you once when you come \
        near. It keeps your last position and which places you are at for at most a day, and which stories you were \
        told of so that it never tells you twice. Positions themselves are kept only if you ask for it, for as many days as you say. You can turn this off at any time.
        """
}
