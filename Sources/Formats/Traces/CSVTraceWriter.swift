import Geometry
import Stories

/// Writes traces as CSV: `time,lat,lon,accuracy[,speed,course,received,device,segment]`.
///
/// A bracketed column is included if a point has a value for it, `segment` if there are gaps.
public enum CSVTraceWriter: Sendable {
    /// Returns the bytes of a CSV file (RFC 4180) in UTF-8.
    ///
    /// - Complexity: O(points).
    public static func write(_ trace: Trace) -> [UInt8] {
        let columns = Column.allCases.filter { $0.isNeeded(in: trace) }
        var text = columns.map(\.rawValue).joined(separator: ",") + "\r\n"
        for (index, segment) in trace.segments.enumerated() {
            for point in segment {
                text += columns.map { $0.text(of: point, segment: index + 1) }.joined(separator: ",") + "\r\n"
            }
        }
        return Array(text.utf8)
    }

    private enum Column: String, CaseIterable {
        case time, lat, lon, accuracy, speed, course, received, device, segment

        func isNeeded(in trace: Trace) -> Bool {
            let points = trace.segments.lazy.joined()
            return switch self {
            case .time, .lat, .lon, .accuracy: true
            case .speed: points.contains { $0.speed != nil }
            case .course: points.contains { $0.course != nil }
            case .received: points.contains { $0.received != nil }
            case .device: points.contains { $0.device != nil }
            case .segment: trace.segments.count > 1
            }
        }

        func text(of point: TracePoint, segment: Int) -> String {
            switch self {
            case .time: point.time.map(RFC3339.format) ?? ""
            case .lat: TraceDecimal.text(point.coordinate.latitude)
            case .lon: TraceDecimal.text(point.coordinate.longitude)
            case .accuracy: point.accuracy.map(TraceDecimal.text) ?? ""
            case .speed: point.speed.map(TraceDecimal.text) ?? ""
            case .course: point.course.map(TraceDecimal.text) ?? ""
            case .received: point.received.map(RFC3339.format) ?? ""
            case .device: point.device.map(quoted) ?? ""
            case .segment: String(segment)
            }
        }

        private func quoted(_ text: String) -> String {
            let special: [Unicode.Scalar] = ["\"", ",", ";", "\r", "\n", "\t"]
            guard text.unicodeScalars.contains(where: special.contains) else { return text }
            var result = "\""
            for scalar in text.unicodeScalars {
                if scalar == "\"" { result += "\"" }
                result.unicodeScalars.append(scalar)
            }
            return result + "\""
        }
    }
}
