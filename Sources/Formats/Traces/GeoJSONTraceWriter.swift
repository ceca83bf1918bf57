import Geometry
import Stories

/// Writes traces as GeoJSON: a collection of points, each with its time and other reported data.
///
/// ``TraceReader`` reads everything back unchanged, except gaps, which points cannot represent.
public enum GeoJSONTraceWriter: Sendable {
    /// Returns the bytes of a FeatureCollection (RFC 7946) in UTF-8.
    ///
    /// - Complexity: O(points).
    public static func write(_ trace: Trace) -> [UInt8] {
        var json = JSONWriter(capacity: 160 * trace.pointCount)
        json.beginObject()
        json.member("type", "FeatureCollection")
        json.member("name", trace.name)
        json.key("features")
        json.beginArray()
        for point in trace.segments.joined() { append(point, to: &json) }
        json.endArray()
        json.endObject()
        json.endLine()
        return json.bytes
    }

    private static func append(_ point: TracePoint, to json: inout JSONWriter) {
        json.beginObject()
        json.member("type", "Feature")
        json.key("geometry")
        json.beginObject()
        json.member("type", "Point")
        json.key("coordinates")
        json.position(point.coordinate.longitude, point.coordinate.latitude)
        json.endObject()
        json.key("properties")
        json.beginObject()
        if let time = point.time { json.member("time", RFC3339.format(time)) }
        if let accuracy = point.accuracy { json.member("accuracy", accuracy) }
        if let speed = point.speed { json.member("speed", speed) }
        if let course = point.course { json.member("course", course) }
        if let received = point.received { json.member("received", RFC3339.format(received)) }
        if let device = point.device { json.member("device", device) }
        json.endObject()
        json.endObject()
    }
}
