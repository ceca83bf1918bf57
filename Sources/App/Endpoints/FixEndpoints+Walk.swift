import Web
import Library
import Formats
import Geofencing
import Geometry
import HTTPTypes
import Notifications
import Storage
import Stories

extension FixEndpoints {
    /// The maximum number of fixes of a walk, recorded or drawn.
    static let walkFixes = 10_000

    private static let noise = QueryParameter(
        "noise",
        .number(TraceNoise.deviations),
        default: 0,
        "The standard deviation in metres per axis of the errors added to the positions (default 0: none)."
    )
    private static let outliers = QueryParameter(
        "outliers",
        .number(TraceNoise.shares),
        default: 0,
        "The probability that a fix begins a burst of up to three outliers (default 0)."
    )
    private static let seed = QueryParameter(
        "seed",
        .integer(0...Int(Int32.max)),
        default: 1,
        "Determines the errors: the same seed gives the same walk (default 1)."
    )
    private static let speed = QueryParameter(
        "speed",
        .number(DrawnRoute.speeds),
        default: 1.4,
        "The speed in metres per second on a route without times (default 1.4, on foot)."
    )
    private static let interval = QueryParameter(
        "interval",
        .number(DrawnRoute.intervals),
        default: 5,
        "The seconds between two fixes on a route without times (default 5)."
    )
    private static let forget = QueryParameter(
        "forget",
        .flag,
        default: false,
        "true: walk as if the caller had not been notified of anything before (default false)."
    )

    /// The route that walks a trace and explains every decision.
    var walk: Endpoint {
        Endpoint(
            method: .post,
            path: "/v1/walk",
            name: "walkTrace",
            summary: """
                Walks a trace, recorded or drawn, past the caller's fences and explains every decision. Stores nothing \
                and notifies nobody. Formats: as for /v1/traces; a route without times is walked at an even speed.
                """,
            access: .user,
            // The answer contains what the caller would be notified of.
            scope: .notificationsRead,
            cost: .heavy,
            parameters: [
                FixEndpoints.radius, FixEndpoints.fileName, FixEndpoints.noise, FixEndpoints.outliers,
                FixEndpoints.seed, FixEndpoints.speed, FixEndpoints.interval, FixEndpoints.forget,
            ],
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
                    schema: .named("WalkReport"),
                    description: "What every fix led to, the notifications, and why others were not made."
                )
            ],
            refusals: [
                .init(
                    status: .tooManyRequests,
                    description: """
                        Another trace of the caller is being replayed, or the walk costs more units than the caller \
                        has left.
                        """
                )
            ],
            handler: { call in
                let share = try library.traces.take(user: try call.user, address: call.sharedAddress)
                return try await LongWork.run(for: call.client) {
                    defer { withExtendedLifetime(share) {} }
                    return Answer(body: try await take(call))
                }
            }
        )
    }

    /// Walks the trace in a request; called on the threads for long work because parsing takes long too.
    private func take(_ call: Call) async throws -> [UInt8] {
        let user = try call.user
        let noise = TraceNoise(
            deviation: try call[FixEndpoints.noise],
            outliers: try call[FixEndpoints.outliers],
            seed: UInt64(try call[FixEndpoints.seed])
        )
        var options = WalkOptions()
        options.radius = try call[FixEndpoints.radius]
        options.forgets = try call[FixEndpoints.forget]
        let trace = try FixEndpoints.trace(call)
        let path = try FixEndpoints.path(of: trace, call)
        let settings = try await library.store.read { try $0.notificationSettings(of: user) }
        let radius = settings.places.compactMap(\.radius).reduce(options.radius ?? settings.radius, max)
        // Twice the price of a replay: the explanations take as long to make and to write as the decisions.
        try call.charge(2 * TracePrice.units(points: path.reduce(0) { $0 + $1.count }, radius: radius))
        let result = try await library.fences.walk(noise.added(to: path), for: user, options: options)
        try Task.checkCancellation()
        return WalkJSON.report(result, of: trace, isDrawn: trace.isDrawn)
    }

    /// Returns the fixes of a trace: those with a time, or else of somebody who follows its points at an even speed.
    private static func path(of trace: Trace, _ call: Call) throws -> [[Fix]] {
        let (speed, interval) = (try call[FixEndpoints.speed], try call[FixEndpoints.interval])
        let count: Int
        let route = DrawnRoute(trace.isDrawn ? trace.drawnPoints : [], speed: speed, interval: interval)
        if trace.isDrawn { count = route.fixCount } else { count = trace.pointCount - trace.untimedCount }
        guard count <= walkFixes else {
            let remedy = trace.isDrawn ? "draw a shorter route, or choose a longer interval" : "walk a part of it"
            throw Problem(
                .unprocessableContent,
                "walk-too-long",
                "The walk has \(count) fixes, and at most \(walkFixes) can be explained at once; \(remedy)."
            )
        }
        return trace.isDrawn ? [route.fixes(from: TraceWorld.usualStart)].filter { !$0.isEmpty } : trace.fixes
    }
}

extension Trace {
    /// Whether the trace has no times but points to follow: it was drawn or planned.
    fileprivate var isDrawn: Bool { untimedCount == pointCount && !drawnPoints.isEmpty }

    /// The points of a trace without times, or else of the routes planned in it.
    fileprivate var drawnPoints: [Coordinate] {
        let points = segments.joined().map(\.coordinate)
        return points.isEmpty ? routePoints.map(\.coordinate) : points
    }
}
