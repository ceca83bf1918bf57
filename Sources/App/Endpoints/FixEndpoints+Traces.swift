import Web
import Library
import Formats
import HTTPTypes
import Notifications
import Storage
import Stories

extension FixEndpoints {
    /// The maximum length of a trace in bytes, compressed or not; `tracePoints` is the maximum number of points.
    static let traceBytes = 8 << 20
    private static let tracePoints = 100_000

    private static let dryRun = QueryParameter(
        "dry_run",
        .flag,
        default: false,
        "true: leave the feed and the ledger unchanged (default false)."
    )
    static let radius = QueryParameter.optional(
        "radius",
        .number(NotificationSettings.radii),
        "The radius in metres instead of the caller's own."
    )
    static let fileName = QueryParameter(
        "name",
        .text(1...200),
        default: "",
        "The name of the file. Its extension can indicate the format."
    )

    /// The route that replays a recorded trace.
    var playTrace: Endpoint {
        Endpoint(
            method: .post,
            path: "/v1/traces",
            name: "playTrace",
            summary: """
                Replays a recorded trace on its own clock. Formats: GPX, TCX, GeoJSON, CSV, NMEA, OwnTracks, JSON and \
                Google's.
                """,
            access: .user,
            // The answer contains the caller's notifications.
            scope: .notificationsRead,
            cost: .heavy,
            parameters: [FixEndpoints.dryRun, FixEndpoints.radius, FixEndpoints.fileName],
            body: .init(
                schema: "TraceFile",
                maxBytes: FixEndpoints.traceBytes,
                isRaw: true,
                readsGzip: true,
                mediaType: MediaType.octets,
                otherTypes: MediaType.traces
            ),
            success: [
                .init(
                    status: .ok,
                    mediaType: MediaType.json,
                    schema: .named("TraceReport"),
                    description: "The notifications that the trace caused or, in a dry run, would have caused."
                )
            ],
            refusals: [
                .init(
                    status: .tooManyRequests,
                    description: """
                        Another trace of the caller is being replayed, or the trace costs more units than the caller \
                        has left.
                        """
                )
            ],
            handler: { call in
                let share = try library.traces.take(user: try call.user, address: call.sharedAddress)
                return try await LongWork.run(for: call.client) {
                    defer { withExtendedLifetime(share) {} }
                    return Answer(body: try await play(call))
                }
            }
        )
    }

    /// Replays the trace in a request; called on the threads for long work because parsing takes long too.
    private func play(_ call: Call) async throws -> [UInt8] {
        let user = try call.user
        let trace = try FixEndpoints.trace(call)
        var options = ReplayOptions()
        options.isDryRun = try call[FixEndpoints.dryRun]
        options.radius = try call[FixEndpoints.radius]
        let settings = try await library.store.read { try $0.notificationSettings(of: user) }
        let radius = settings.places.compactMap(\.radius).reduce(options.radius ?? settings.radius, max)
        try call.charge(TracePrice.units(points: trace.pointCount, radius: radius))
        let result = try await library.fences.replay(trace.fixes, for: user, options: options)
        return NoticeJSON.traceReport(result, of: trace)
    }

    /// Reads the trace file in a request.
    static func trace(_ call: Call) throws -> Trace {
        let limits = TraceLimits(bytes: FixEndpoints.traceBytes, points: FixEndpoints.tracePoints)
        let fileName = try call[FixEndpoints.fileName]
        do {
            return try TraceReader.read(call.bytes, fileName: fileName, limits: limits)
        } catch let error as TraceError {
            throw Problem(.unprocessableContent, "bad-trace", error.description)
        }
    }
}

extension NoticeJSON {
    /// Returns the report on a replayed trace.
    static func traceReport(_ result: ReplayResult, of trace: Trace) -> [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        json.member("format", trace.sourceFormat.rawValue)
        json.member("points", trace.pointCount)
        json.member("timed", trace.pointCount - trace.untimedCount)
        let problems = [trace.emptiness].compactMap(\.self) + trace.problems.map(\.description)
        json.member("problems", Array(problems.prefix(20)))
        json.key("notifications")
        json.beginArray()
        for notice in result.notices { write(notice, to: &json) }
        json.endArray()
        json.member("monitoring", result.isMonitoring ? "on" : "off")
        json.endObject()
        return json.bytes
    }

    /// The schema of ``traceReport(_:of:)``.
    static let traceReportSchema = Schema.object([
        .init("format", .word(TraceFormat.allCases.map(\.rawValue)), required: true),
        .init("points", .integer(0...Int(Int32.max)), required: true),
        .init("timed", .integer(0...Int(Int32.max)), required: true, "The number of points with a time."),
        .init(
            "problems",
            .array(.text(maxBytes: 1_000), maxItems: 20),
            required: true,
            "The points that were omitted and why, or why nothing could be replayed."
        ),
        .init("notifications", .array(.named("Notification")), required: true),
        .init("monitoring", .word(["on", "off"]), required: true, "off: the caller has not opted in."),
    ])
}
