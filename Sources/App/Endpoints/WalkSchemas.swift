import Web
import Formats
import Geofencing
import Library
import Notifications

/// The schemas of a walk.
enum WalkSchemas: Sendable {
    private static let instant = Schema.text(minBytes: 20, maxBytes: 40, format: "date-time")
    private static let count = Schema.integer(0...Int(Int32.max))
    private static let metres = Schema.number(0...1e9)
    private static let place = Schema.text(minBytes: 2, maxBytes: 14)
    private static let words = Schema.text(maxBytes: 1_000)
    private static let position: [Schema.Member] = [
        .init("lat", .number(-90...90), required: true), .init("lon", .number(-180...180), required: true),
    ]

    /// Returns the schema of something at a position.
    private static func placed(_ members: [Schema.Member]) -> Schema { .object(position + members) }

    private static let settings = Schema.object([
        .init("radius", .number(NotificationSettings.radii), required: true, "The radius in metres."),
        .init("kinds", .array(.kind), required: true), .init("notify_own", .boolean, required: true),
        .init("notify_viewed", .boolean, required: true), .init("min_dwell", count, required: true),
        .init("max_speed", .nullable(.number(0...1e9)), required: true),
    ])

    private static let story = Schema.object([
        .init("id", .hexID, required: true), .init("kind", .kind, required: true),
        .init("title", StorySchemas.shownTitle, required: true),
    ])
    private static let fence = placed([
        .init("place", place, required: true),
        .init("geometry", .named("Shape"), "The line or the area that the fence is around; without it, the point is."),
        .init("r", metres, required: true, "The radius in metres."),
        .init("exit_r", metres, required: true, "The radius in metres beyond which a visit ends."),
        .init("count", count, required: true, "The number of stories there that the caller wants."),
        .init("stories", .array(story, maxItems: FenceService.storiesPerFence), required: true),
    ])

    private static let fix = placed([
        .init("t", instant, required: true),
        .init("acc", .nullable(.number(-1e9...1e9)), required: true, "The accuracy in metres as reported."),
        .init("outcome", .word(FixOutcome.words), required: true), .init("why", words, required: true),
    ])

    private static let estimate = placed([
        .init("acc", metres, required: true, "The accuracy in metres."),
        .init("speed", metres, required: true, "The speed in metres per second."),
    ])

    private static let phase = Schema.word(FencePhase.allCases.map(\.rawValue))
    private static let decision = Schema.object([
        .init("place", place, required: true),
        .init("d", metres, required: true, "The distance in metres from the fix to the fence's centre, line or area."),
        .init(
            "likely_d",
            metres,
            required: true,
            "The distance in metres from the centre to the estimated position or path, on which the decision is based."
        ),
        .init("likely_acc", metres, required: true, "The accuracy of the estimate in metres."),
        .init("acc", metres, required: true, "The accuracy in metres assumed for the fix."),
        .init("p", .number(0...1), required: true, "The probability of being inside, given all fixes so far."),
        .init("before", phase, required: true), .init("after", phase, required: true),
        .init("why", words, required: true, "The rule that decided."),
    ])

    private static let entry = Schema.object([
        .init("place", place, required: true),
        .init("kind", .word(FenceEntry.Kind.allCases.map(\.rawValue)), required: true),
        .init("at", instant, required: true, "The time of the deciding fix."),
        .init("decided_at", instant, required: true), .init("confidence", .number(0...1), required: true),
        .init("d", metres, required: true, "The distance in metres to the centre, or of the path that passed it."),
        .init("why", words, required: true),
    ])

    private static let step = Schema.object([
        .init("cause", .word(["fix", "clock", "gap"]), required: true),
        .init("clock", instant, required: true, "The time at which the step happened."),
        .init("fix", .nullable(fix), required: true, "The fix with its outcome; null if only the clock decided."),
        .init("estimate", .nullable(estimate), required: true, "The likeliest position, given all fixes so far."),
        .init("decisions", .array(decision), required: true), .init("entered", .array(entry), required: true),
        .init("left", .array(place), required: true, "The places whose visit ended."),
    ])

    private static let noticePlace = placed([
        .init("id", place, required: true), .init("name", .text(maxBytes: 10_000), required: true),
    ])
    private static let notice = Schema.object([
        .init("at", instant, required: true, "The time of the deciding fix."),
        .init("ready_at", instant, required: true, "The latest time at which it would be written."),
        .init("kind", .word(FenceEntry.Kind.allCases.map(\.rawValue)), required: true),
        .init("title", .text(maxBytes: 10_000), required: true), .init("body", .text(maxBytes: 10_000), required: true),
        .init("place", noticePlace, required: true),
        .init("content_ids", .array(.hexID), required: true), .init("confidence", .number(0...1), required: true),
    ])

    private static let silence = Schema.object([
        .init("place", place, required: true), .init("story", .hexID, required: true),
        .init("reason", .word(NoticeSilence.allCases.map(\.rawValue)), required: true),
        .init("why", words, required: true),
    ])

    /// The schema of ``WalkJSON/report(_:of:isDrawn:)``.
    static let report = Schema.object([
        .init("format", .word(TraceFormat.allCases.map(\.rawValue)), required: true),
        .init("points", count, required: true),
        .init("timed", count, required: true, "The number of points with a time."),
        .init("drawn", .boolean, required: true, "Whether the points have no times and were walked at an even speed."),
        .init("problems", .array(words, maxItems: 20), required: true, "The points that were omitted and why."),
        .init("monitoring", .word(["on", "off"]), required: true, "off: the caller has not opted in."),
        .init(
            "decisions",
            .word(["all", "changes"]),
            required: true,
            "changes: there are so many decisions that only those are listed that change a state."
        ),
        .init("settings", settings, required: true, "The caller's settings that decided."),
        .init("fences", .array(fence), required: true, "The fences near the walk."),
        .init("steps", .array(step), required: true, "The steps in order."),
        .init("notifications", .array(notice), required: true, "What the caller would have been notified of."),
        .init("silences", .array(silence), required: true, "The stories at visited places not announced, and why."),
    ])
}
