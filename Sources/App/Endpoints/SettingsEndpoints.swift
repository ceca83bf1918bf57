import Web
import Library
import Formats
import Geometry
import HTTPTypes
import Notifications
import Storage
import Stories

/// The routes of a user's notification settings.
struct SettingsEndpoints: Sendable {
    let library: StoryLibrary

    var all: [Endpoint] { [readSettings, changeSettings] }

    private var readSettings: Endpoint {
        Endpoint(
            method: .get,
            path: "/v1/me/notification-settings",
            name: "readNotificationSettings",
            summary: "Returns the caller's notification settings. Notifications are off until the caller opts in.",
            access: .user,
            scope: .notificationsRead,
            success: [SettingsEndpoints.settings],
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
            summary: """
                Opts in or out, and sets what is announced and how it is delivered, effective immediately. Omitted \
                fields are unchanged. Objects (channels, caps, digest) are merged by member; lists (kinds, types, \
                places, quiet_hours) are replaced as a whole. To avoid overwriting changes from another device, send \
                If-Match with the ETag of the settings that were read.
                """,
            access: .user,
            scope: .notificationsManage,
            headers: [.ifMatch],
            body: .init(schema: "NotificationSettingsInput", maxBytes: 16_384),
            success: [SettingsEndpoints.settings],
            handler: { call in
                let user = try call.user
                let (body, precondition) = (call.body ?? .null, call.headers[.ifMatch])
                let schemes = library.delivery.linkSchemes
                let settings = try await library.rights.settings.change(of: user, source: .app) { settings, now in
                    try SettingsEndpoints.check(precondition, settings)
                    try SettingsEndpoints.apply(body, to: &settings, linkSchemes: schemes, at: now)
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

    /// Returns the ETag of a user's choices, independent of the other contents of an answer.
    private static func tag(of settings: NotificationSettings) -> String {
        EntityTag.strong(NoticeJSON.settings(settings))
    }

    /// Rejects a change that was based on other settings.
    private static func check(_ precondition: String?, _ settings: NotificationSettings) throws {
        guard let precondition else { return }
        let tag = tag(of: settings)
        guard EntityTag.matches(precondition, tag, weakly: false) else {
            throw Problem.changed("settings", current: tag)
        }
    }

    private static func apply(
        _ body: JSONValue,
        to settings: inout NotificationSettings,
        linkSchemes: Set<String>,
        at now: Timestamp
    ) throws {
        do {
            if let radius = body["radius"]?.number { settings.radius = radius }
            if let kinds = body["kinds"]?.array {
                settings.kinds = try NotificationSettings.kinds(named: kinds.compactMap(\.string))
            }
            if let own = body["notify_own"]?.bool { settings.notifiesOwn = own }
            if let viewed = body["notify_viewed"]?.bool { settings.notifiesViewed = viewed }
            if let dwell = body["min_dwell"]?.integer { settings.minimumDwell = dwell }
            if let limit = body["max_speed"] { settings.maximumSpeed = limit.number }
            if let places = body["places"]?.array { settings.places = try places.enumerated().map(place) }
            if let days = body["keep_fixes_days"]?.integer { settings.keptDays = days }
            if let preview = body["preview"]?.string.flatMap(NotificationSettings.Preview.init) {
                settings.preview = preview
            }
            try DeliveryJSON.read(body, into: &settings)
            if let scheme = settings.linkTemplate?.scheme, body["link_template"] != nil, !linkSchemes.contains(scheme) {
                let known = linkSchemes.sorted().joined(separator: ", ")
                let message =
                    known.isEmpty
                    ? "cannot be set: the operator of this service has not allowed links to apps (serve --link-scheme)"
                    : "must begin with a scheme that the operator of this service allows: \(known)"
                throw Problem.body([FieldProblem(field: "link_template", message: message)])
            }
            for (index, item) in (body["types"]?.array ?? []).enumerated()
            where item["type"]?.string.flatMap(NoticeType.init(rawValue:)).map(\.isSwitched) == false {
                let message = "is sent whenever it is requested, so it cannot be switched on or off"
                throw Problem.body([FieldProblem(field: "types[\(index)].type", message: message)])
            }
            guard ZoneClock(named: settings.zone) != nil else {
                let message = "must be a time zone such as America/New_York or UTC"
                throw Problem.body([FieldProblem(field: "time_zone", message: message)])
            }
            switch body["enabled"]?.bool {
            case true?:
                let agreed = body["consent_version"]?.string ?? Consent.version
                guard agreed == Consent.version else {
                    let message = "must be \(Consent.version), the current version of the explanation"
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
            let message = "must be the id of a place, as returned with the map and the fences"
            throw Problem.body([FieldProblem(field: "places[\(index)].place_id", message: message)])
        }
        var setting = PlaceSetting(place: place)
        setting.isEnabled = body["enabled"]?.bool ?? true
        setting.radius = body["radius"]?.number
        if let until = body["muted_until"], !until.isNull {
            guard let time = until.string.flatMap(RFC3339.parse) else {
                let message = "must be a time such as 2026-11-21T13:00:00Z"
                throw Problem.body([FieldProblem(field: "places[\(index)].muted_until", message: message)])
            }
            setting.mutedUntil = time
        }
        setting.kinds = try body["kinds"]?.array
            .map { try NotificationSettings.kinds(named: $0.compactMap(\.string)) }
        return setting
    }

    /// Returns the settings with notes on them, and with the time when each of their places was last announced.
    private func answer(_ settings: NotificationSettings, of user: UserID) async throws -> Answer {
        let (announced, channels, types) = try await library.store.read { [library] transaction in
            (
                try library.rights.settings.announcements(at: settings.places.map(\.place), to: user, in: transaction),
                settings.digest.every == .never ? [] : try transaction.channels(of: user),
                settings.delivery.types.isEmpty ? [] : try transaction.toldTypes(to: user)
            )
        }
        let notes = SettingsNotes.notes(
            on: settings,
            toldTypes: types,
            sendsMail: library.delivery.credentials.allow(.email),
            hasAddress: channels.contains { $0.kind == .email && $0.state == .active }
        )
        let body = NoticeJSON.settings(
            settings,
            lastAnnounced: announced.compactMapValues(\.at),
            names: announced.compactMapValues(\.name),
            notes: notes
        )
        return Answer(headers: [.eTag: SettingsEndpoints.tag(of: settings)], body: body)
    }
}
