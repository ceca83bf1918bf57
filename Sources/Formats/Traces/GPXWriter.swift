import Geometry
import Stories

/// Writes traces as GPX 1.1 (Topografix), with speed and course in Garmin's TrackPointExtension v2.
///
/// Accuracy, receipt and device, for which GPX has no element, use a namespace of our own. ``TraceReader`` reads
/// everything back unchanged, except characters that XML cannot represent.
public enum GPXWriter: Sendable {
    /// Returns the bytes of a GPX document in UTF-8.
    ///
    /// - Complexity: O(points).
    public static func write(_ trace: Trace) -> [UInt8] {
        var text = """
            <?xml version="1.0" encoding="UTF-8"?>
            <gpx version="1.1" creator="Waymark" xmlns="http://www.topografix.com/GPX/1/1" \
            xmlns:gpxtpx="http://www.garmin.com/xmlschemas/TrackPointExtension/v2" xmlns:waymark="urn:waymark:trace:1">

            """
        for waypoint in trace.waypoints { append(waypoint, "wpt", to: &text) }
        if !trace.routePoints.isEmpty {
            text += "<rte>\n"
            for waypoint in trace.routePoints { append(waypoint, "rtept", to: &text) }
            text += "</rte>\n"
        }
        text += "<trk>\(element("name", trace.name))\n"
        for segment in trace.segments where !segment.isEmpty {
            text += "<trkseg>\n"
            for point in segment { append(point, to: &text) }
            text += "</trkseg>\n"
        }
        text += "</trk>\n</gpx>\n"
        return Array(text.utf8)
    }

    private static func append(_ point: TracePoint, to text: inout String) {
        text += opening("trkpt", point.coordinate)
        text += element("time", point.time.map(RFC3339.format))
        let motion =
            element("gpxtpx:speed", point.speed.map(TraceDecimal.text))
            + element("gpxtpx:course", point.course.map(TraceDecimal.text))
        let report =
            element("waymark:accuracy", point.accuracy.map(TraceDecimal.text))
            + element("waymark:received", point.received.map(RFC3339.format))
            + element("waymark:device", point.device)
        if !motion.isEmpty || !report.isEmpty {
            text += "<extensions>"
            if !motion.isEmpty { text += "<gpxtpx:TrackPointExtension>\(motion)</gpxtpx:TrackPointExtension>" }
            text += "\(report)</extensions>"
        }
        text += "</trkpt>\n"
    }

    private static func append(_ waypoint: TraceWaypoint, _ name: String, to text: inout String) {
        text += opening(name, waypoint.coordinate)
        text += element("time", waypoint.time.map(RFC3339.format))
        text += element("name", waypoint.name)
        text += element("desc", waypoint.description)
        text += "</\(name)>\n"
    }

    private static func opening(_ name: String, _ coordinate: Coordinate) -> String {
        let latitude = TraceDecimal.text(coordinate.latitude)
        let longitude = TraceDecimal.text(coordinate.longitude)
        return "<\(name) lat=\"\(latitude)\" lon=\"\(longitude)\">"
    }

    private static func element(_ name: String, _ content: String?) -> String {
        guard let content, !content.isEmpty else { return "" }
        return "<\(name)>\(XMLEscaping.escaped(content))</\(name)>"
    }
}

/// Numbers without exponents, for `xsd:decimal` and spreadsheets.
enum TraceDecimal {
    /// Returns the shortest decimal fraction that parses to the same number, which must be finite.
    static func text(_ number: Double) -> String {
        let text = number.description
        guard let mark = text.firstIndex(of: "e"), let exponent = Int(text[text.index(after: mark)...]) else {
            return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
        }
        let isNegative = text.hasPrefix("-")
        let mantissa = text[..<mark].drop { $0 == "-" }.split(separator: ".")
        let whole = String(mantissa.first ?? "0")
        let fraction = mantissa.count > 1 && mantissa[1] != "0" ? String(mantissa[1]) : ""
        let digits = whole + fraction
        let point = whole.count + exponent
        let plain =
            if point <= 0 {
                "0." + String(repeating: "0", count: -point) + digits
            } else {
                // Doubles with a positive exponent in this notation are integers above 2⁵³.
                digits + String(repeating: "0", count: max(0, point - digits.count))
            }
        return isNegative ? "-" + plain : plain
    }
}
