import Web
import Library
import Formats
import Geofencing
import Geometry
import HTTPTypes
import Notifications
import Storage
import Stories

/// The routes for devices that monitor fences themselves, so that they need not send their position repeatedly.
struct FenceEndpoints: Sendable {
    let library: StoryLibrary

    var all: [Endpoint] { [pack, entered, device, readDevice] }

    private static let position = PositionParameters(
        latitude: "The latitude of the device in degrees.",
        longitude: "The longitude of the device in degrees."
    )
    private static let limit = Paging.limit(
        1...100,
        default: 20,
        "The number of regions that the device can monitor, including the refresh circle, so there is one fence fewer"
    )
    private static let deviceName = QueryParameter(
        "device",
        .fitting(.deviceName),
        default: "default",
        "The caller's name for the device."
    )

    private var pack: Endpoint {
        Endpoint(
            method: .get,
            path: "/v1/fences",
            name: "listFences",
            summary:
                "Returns the fences around a device's position and the circle beyond which it must request new ones.",
            access: .user,
            // The answer reveals where there are stories for the user, which a device key must not learn.
            scope: .notificationsRead,
            cost: .normal,
            caching: .revalidate,
            parameters: [FenceEndpoints.position, FenceEndpoints.limit, FenceEndpoints.deviceName],
            success: FenceEndpoints.answer(
                "FencePack",
                "The fences, nearest edge first. Including the circle, there are at most as many as the device can "
                    + "monitor."
            ),
            handler: { call in
                let pack = try await library.fences.fencePack(
                    around: try call[FenceEndpoints.position],
                    limit: try call[FenceEndpoints.limit],
                    of: try call.user,
                    device: try call.principal.device ?? call[FenceEndpoints.deviceName]
                )
                return Answer(body: FenceJSON.pack(pack))
            }
        )
    }

    private var entered: Endpoint {
        Endpoint(
            method: .post,
            path: "/v1/fences/\(PathPart.place)/entered",
            name: "reportEntered",
            summary: """
                Reports that a device itself detected its user entering a fence. The user is notified once, under the \
                name of that place, as if fixes had shown it. If nothing is left to announce at the place itself, \
                there is no notification.
                """,
            access: .user,
            scope: .fixesWrite,
            cost: .normal,
            body: .init(schema: "FenceEntryInput", maxBytes: 4_096),
            success: FenceEndpoints.answer("FenceEntry", "The resulting notifications."),
            handler: { call in
                let body = call.body ?? .null
                let now = library.now()
                let place = try call[PathPart.place]
                var time = now
                if let text = body["t"]?.string {
                    guard let read = RFC3339.parse(text), read.milliseconds <= now.milliseconds + FixEndpoints.clockLead
                    else {
                        let message = "must be a time such as 2026-11-21T13:00:00Z, at most a day ahead"
                        throw Problem.body([FieldProblem(field: "t", message: message)])
                    }
                    time = read
                }
                let report = try await library.fences.enter(
                    place,
                    of: try call.user,
                    device: call.principal.device ?? body["device"]?.string ?? "default",
                    at: time,
                    stayedSeconds: body["stayed"]?.integer ?? 0,
                    speed: body["speed"]?.number
                )
                guard let report else { throw Problem.notFound }
                return Answer(body: FenceJSON.entry(report))
            }
        )
    }

    private var device: Endpoint {
        Endpoint(
            method: .put,
            path: "/v1/me/devices/\(PathPart.device)",
            name: "changeDevice",
            summary: """
                Records the location permission that the caller granted on a device. denied deletes everything stored \
                about the device's location.
                """,
            access: .user,
            scope: .fixesWrite,
            body: .init(schema: "DeviceInput", maxBytes: 4_096),
            success: FenceEndpoints.answer("Device", "The device."),
            handler: { call in
                let (user, body) = (try call.user, call.body ?? .null)
                let name = try call[PathPart.device]
                guard call.principal.device ?? name == name else { throw Problem.notFound }
                guard let permission = body["permission"]?.string.flatMap(DevicePermission.init) else {
                    throw Problem.body([FieldProblem(field: "permission", message: "is missing")])
                }
                let platform = body["platform"]?.string
                let isOn = try await library.fences.saveDevice(
                    name,
                    of: user,
                    permission: permission,
                    platform: platform
                )
                return Answer(body: FenceJSON.device(name, permission, platform: platform, isMonitoring: isOn))
            }
        )
    }

    private var readDevice: Endpoint {
        Endpoint(
            method: .get,
            path: "/v1/me/devices/\(PathPart.device)",
            name: "readDevice",
            summary: """
                Returns when one of the caller's devices last reported since the service started, and why its last \
                unused report was not used.
                """,
            access: .user,
            scope: .exportSelf,
            success: FenceEndpoints.answer("DeviceReports", "What is known of the device, without positions."),
            handler: { call in
                let name = try call[PathPart.device]
                let entry = library.fences.journal.entry(of: try call.user, device: name)
                return Answer(body: FenceJSON.reports(name, entry))
            }
        )
    }

    private static func answer(_ schema: String, _ description: String) -> [Endpoint.Success] {
        [.init(status: .ok, mediaType: MediaType.json, schema: .named(schema), description: description)]
    }
}

/// The JSON of fences and devices.
enum FenceJSON: Sendable {
    static func pack(_ pack: FencePack?) -> [UInt8] {
        var json = JSONWriter(capacity: 100 * ((pack?.fences.count ?? 0) + 1))
        json.beginObject()
        json.key("fences")
        json.beginArray()
        for fence in pack?.fences ?? [] {
            json.beginObject()
            json.member("id", fence.id.description)
            write(fence.coordinate, radius: fence.radius, to: &json)
            json.endObject()
        }
        json.endArray()
        json.key("refresh")
        if let pack {
            json.beginObject()
            write(pack.center, radius: pack.refreshRadius, to: &json)
            json.endObject()
        } else {
            json.null()
        }
        json.member("monitoring", pack == nil ? "off" : "on")
        json.endObject()
        return json.bytes
    }

    private static func write(_ coordinate: Coordinate, radius: Double, to json: inout JSONWriter) {
        json.key("lat")
        json.degrees(coordinate.latitude)
        json.key("lon")
        json.degrees(coordinate.longitude)
        json.member("radius", (radius * 10).rounded(.down) / 10)
    }

    static func entry(_ report: FixReport) -> [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        json.member("notifications", report.notices.map(\.id))
        json.member("monitoring", report.isMonitoring ? "on" : "off")
        json.endObject()
        return json.bytes
    }

    static func device(
        _ name: String,
        _ permission: DevicePermission,
        platform: String?,
        isMonitoring: Bool
    ) -> [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        json.member("device", name)
        json.member("permission", permission.rawValue)
        json.member("platform", platform)
        json.member("monitoring", isMonitoring ? "on" : "off")
        json.endObject()
        return json.bytes
    }

    static func reports(_ name: String, _ entry: ReportJournal.Entry?) -> [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        json.member("device", name)
        json.member("received_at", entry.map { RFC3339.format($0.receivedAt) })
        json.member("used_at", entry?.usedAt.map(RFC3339.format))
        json.key("ignored")
        if let ignored = entry?.ignored {
            json.beginObject()
            json.member("at", RFC3339.format(ignored.at))
            json.member("why", ignored.reason)
            json.member("message", ignored.message)
            json.endObject()
        } else {
            json.null()
        }
        json.endObject()
        return json.bytes
    }

    private static let instant = Schema.text(minBytes: 20, maxBytes: 40, format: "date-time")
    static let reportsSchema = Schema.object([
        .init("device", .text(minBytes: 1, maxBytes: StoryLimits.deviceLength), required: true),
        .init("received_at", .nullable(instant), required: true, "When anything last arrived from the device."),
        .init("used_at", .nullable(instant), required: true, "When a position of it was last used."),
        .init(
            "ignored",
            .nullable(
                .object([
                    .init("at", instant, required: true),
                    .init("why", .text(minBytes: 1, maxBytes: 40), required: true, "The reason as a code."),
                    .init("message", .text(minBytes: 1, maxBytes: 400), required: true, "The reason as a sentence."),
                ])
            ),
            required: true,
            "Its last report that was not used."
        ),
    ])

    private static let monitoring = Schema.Member("monitoring", .word(["on", "off"]), required: true)
    private static let circle: [Schema.Member] = [
        .init("lat", .number(-90...90), required: true), .init("lon", .number(-180...180), required: true),
        .init("radius", .number(0...1e6), required: true, "The radius in metres."),
    ]
    private static let permission = Schema.Member(
        "permission",
        .word(DevicePermission.allCases.map(\.rawValue)),
        required: true,
        "The app's permission to access the device's location."
    )
    private static let platforms = Schema.word(["ios", "android", "web", "other"])

    static let packSchema = Schema.object([
        .init(
            "fences",
            .array(.object([.init("id", .text(minBytes: 2, maxBytes: 14), required: true)] + circle), maxItems: 100),
            required: true
        ),
        .init(
            "refresh",
            .nullable(.object(circle)),
            required: true,
            "The circle within which no other fence can be entered."
        ),
        monitoring,
    ])
    static let entryInput = Schema.object([
        .init("device", .deviceName, "The caller's name for the device."),
        .init("t", .text(minBytes: 1, maxBytes: 40), "The time of the entry (RFC 3339; default: now)."),
        .init("stayed", .integer(0...86_400), "The number of seconds that the user has been inside."),
        .init(
            "speed",
            .number(0...350),
            "The speed in metres per second. Above the user's max_speed, nothing is announced yet."
        ),
    ])
    static let entrySchema = Schema.object([
        .init("notifications", .array(.hexID), required: true), monitoring,
    ])
    static let deviceInput = Schema.object([permission, .init("platform", platforms)])
    static let deviceSchema = Schema.object([
        .init("device", .text(minBytes: 1, maxBytes: StoryLimits.deviceLength), required: true), permission,
        .init("platform", .nullable(platforms), required: true), monitoring,
    ])
}
