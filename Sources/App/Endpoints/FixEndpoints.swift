import Web
import Library
import Formats
import Geometry
import HTTPTypes
import Notifications
import Storage
import Stories

/// The routes by which devices report positions, and those that show the results.
struct FixEndpoints: Sendable {
    let library: StoryLibrary

    /// The maximum lead of a device's clock.
    static let clockLead = FenceService.clockLead

    var all: [Endpoint] { [report, playTrace, walk, keptFixes, explainFix] }

    private var report: Endpoint {
        Endpoint(
            method: .post,
            path: "/v1/fixes",
            name: "reportFixes",
            summary:
                "Reports positions of one of the caller's devices. While notifications are off, positions are ignored.",
            access: .user,
            scope: .fixesWrite,
            cost: .normal,
            body: .init(schema: "FixBatch", maxBytes: 1 << 20),
            success: [
                .init(
                    status: .ok,
                    mediaType: MediaType.json,
                    schema: .named("FixReport"),
                    description: "The outcome of the fixes. notifications contains those decided so far."
                )
            ],
            handler: { call in
                let body = call.body ?? .null
                let (fixes, refused) = FixEndpoints.fixes(body["fixes"]?.array ?? [], now: library.now())
                // A device key speaks only for its own device, whatever the body says.
                let (user, device) = (try call.user, call.principal.device ?? body["device"]?.string ?? "default")
                var report = try await library.fences.process(fixes, of: user, device: device)
                if report.isMonitoring {
                    report.rejected += refused
                    library.fences.counts.add("rejected", refused.count)
                    if !refused.isEmpty {
                        library.fences.journal.note(report, of: user, device: device, at: library.now())
                    }
                }
                return Answer(body: NoticeJSON.report(report))
            }
        )
    }

    /// Reads fixes; invalid ones are reported, and the others are processed.
    private static func fixes(
        _ values: [JSONValue],
        now: Timestamp
    ) -> (fixes: [(index: Int, fix: LiveFix)], refused: [FixReport.Rejected]) {
        var fixes: [(index: Int, fix: LiveFix)] = []
        var refused: [FixReport.Rejected] = []
        func refuse(_ index: Int, _ reason: String, _ field: String, _ message: String) {
            refused.append(FixReport.Rejected(index: index, reason: reason, field: field, message: message))
        }
        for (index, value) in values.enumerated() {
            // Checked one by one: a receiver that briefly lost its position must not invalidate the rest of the batch.
            if let problem = NoticeSchemas.fix.problems(in: value).first {
                refuse(index, "invalid", String(problem.field.prefix(100)), problem.message)
                continue
            }
            guard let time = value["t"]?.string.flatMap({ RFC3339.parse($0) }) else {
                refuse(index, "time", "t", "must be a time such as 2026-11-21T13:00:00Z")
                continue
            }
            guard time.milliseconds <= now.milliseconds + FixEndpoints.clockLead else {
                refuse(index, "time", "t", "is more than a day ahead; set the device's clock")
                continue
            }
            guard let latitude = value["lat"]?.number, let longitude = value["lon"]?.number,
                let coordinate = Coordinate(latitude: latitude, longitude: longitude)
            else {
                let isNorth = value["lat"]?.number.map { (-90...90).contains($0) } ?? false
                let bounds = isNorth ? "-180 and 180" : "-90 and 90"
                refuse(index, "position", isNorth ? "lon" : "lat", "must be between \(bounds) degrees")
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
