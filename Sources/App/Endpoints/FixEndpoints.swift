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

    var all: [Endpoint] { [report, playTrace, keptFixes, explainFix] }

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
}
