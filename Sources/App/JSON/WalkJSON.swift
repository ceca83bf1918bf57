import Web
import Library
import Formats
import Geofencing
import Geometry
import Notifications
import Stories

/// The JSON of a walk.
enum WalkJSON: Sendable {
    /// The maximum number of decisions that a report lists completely; beyond it, only those that change something.
    static let fullDecisions = 30_000

    /// Returns the report on a walk.
    static func report(_ result: WalkResult, of trace: Trace, isDrawn: Bool) -> [UInt8] {
        let places = Set(result.fences.map(\.place))
        let writer = WalkStepWriter(run: result.run, places: places, minimumDwell: result.settings.minimumDwell)
        var json = JSONWriter(capacity: 200 * (result.run.effects.count + 10))
        json.beginObject()
        json.member("format", trace.sourceFormat.rawValue)
        json.member("points", trace.pointCount)
        json.member("timed", trace.pointCount - trace.untimedCount)
        json.member("drawn", isDrawn)
        let emptiness = isDrawn ? nil : trace.emptiness
        let problems = [emptiness].compactMap(\.self) + trace.problems.map(\.description)
        json.member("problems", Array(problems.prefix(20)))
        json.member("monitoring", result.isMonitoring ? "on" : "off")
        json.member("decisions", writer.isFull ? "all" : "changes")
        write(result.settings, to: &json)
        list("fences", result.fences, to: &json, write)
        list("steps", result.run.steps, to: &json, writer.write)
        list("notifications", result.notices, to: &json, write)
        list("silences", result.silences, to: &json, write)
        json.endObject()
        return json.bytes
    }

    private static func list<Item>(
        _ name: String,
        _ items: [Item],
        to json: inout JSONWriter,
        _ write: (Item, inout JSONWriter) -> Void
    ) {
        json.key(name)
        json.beginArray()
        for item in items { write(item, &json) }
        json.endArray()
    }

    private static func write(_ settings: NotificationSettings, to json: inout JSONWriter) {
        json.key("settings")
        json.beginObject()
        json.member("radius", settings.radius)
        json.member("kinds", settings.kinds.map(\.rawValue).sorted())
        json.member("notify_own", settings.notifiesOwn)
        json.member("notify_viewed", settings.notifiesViewed)
        json.member("min_dwell", settings.minimumDwell)
        json.member("max_speed", settings.maximumSpeed)
        json.endObject()
    }

    private static func write(_ fence: WalkResult.Fence, to json: inout JSONWriter) {
        json.beginObject()
        json.member("place", fence.place.description)
        position(fence.coordinate, to: &json)
        if let place = fence.outlined {
            json.key("geometry")
            PlaceGeometry.write(place, to: &json)
        }
        json.member("r", fence.radius)
        json.member("exit_r", fence.exitRadius)
        json.member("count", fence.count)
        list("stories", fence.stories, to: &json) { story, json in
            json.beginObject()
            json.member("id", story.id.description)
            json.member("kind", story.kind.rawValue)
            json.member("title", story.title)
            json.endObject()
        }
        json.endObject()
    }

    private static func write(_ notice: Notice, to json: inout JSONWriter) {
        json.beginObject()
        json.member("at", WalkJSON.time(notice.at.milliseconds))
        json.member("ready_at", WalkJSON.time(notice.readyAt.milliseconds))
        json.member("kind", notice.kind.rawValue)
        json.member("title", notice.title)
        json.member("body", notice.body)
        json.key("place")
        json.beginObject()
        json.member("id", PlaceID(notice.place).description)
        json.member("name", notice.placeName)
        position(notice.place, to: &json)
        json.endObject()
        json.member("content_ids", notice.stories.map(\.id.description))
        json.member("confidence", notice.confidence)
        json.endObject()
    }

    private static func write(_ silence: WalkResult.Silence, to json: inout JSONWriter) {
        json.beginObject()
        json.member("place", silence.place.description)
        json.member("story", silence.story.description)
        json.member("reason", silence.why.rawValue)
        json.member("why", silence.why.description)
        json.endObject()
    }

    /// Writes the members of a position.
    static func position(_ coordinate: Coordinate, to json: inout JSONWriter) {
        json.key("lat")
        json.degrees(coordinate.latitude)
        json.key("lon")
        json.degrees(coordinate.longitude)
    }

    /// Returns a time in milliseconds since 1970 as text.
    static func time(_ milliseconds: Int64) -> String { RFC3339.format(Timestamp(milliseconds: milliseconds)) }
}
