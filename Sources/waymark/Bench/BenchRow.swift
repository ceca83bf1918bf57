import Formats
import Foundation

/// One line of a benchmark's table.
struct BenchRow: Sendable {
    /// The measurement.
    let name: String
    /// The unit.
    let unit: String
    /// The figures by name, in display order.
    let values: [(name: String, value: Double)]

    /// Creates a row with a single figure.
    init(_ name: String, _ value: Double, unit: String) {
        self.init(name, unit: unit, values: [("value", value)])
    }

    init(_ name: String, unit: String, values: [(name: String, value: Double)]) {
        self.name = name
        self.unit = unit
        self.values = values
    }

    /// Creates a row with the median, the 99th percentile and the maximum of the given times in seconds, as
    /// microseconds.
    init(_ name: String, seconds: [Double]) {
        let sorted = seconds.sorted()
        func at(_ share: Double) -> Double {
            sorted.isEmpty ? 0 : sorted[min(sorted.count - 1, Int(Double(sorted.count) * share))] * 1e6
        }
        self.init(name, unit: "us", values: [("p50", at(0.5)), ("p99", at(0.99)), ("max", at(1))])
    }

    private static func shown(_ value: Double) -> String {
        value == value.rounded() && abs(value) < 1e15
            ? String(Int(value)) : String(format: abs(value) < 10 ? "%.2f" : "%.1f", value)
    }

    /// Formats the rows for people.
    static func table(_ rows: [BenchRow]) -> String {
        let width = rows.map(\.name.count).max() ?? 0
        return
            rows.map { row in
                let figures = row.values.map { $0.name == "value" ? shown($0.value) : "\($0.name) \(shown($0.value))" }
                return row.name.padding(toLength: width + 2, withPad: " ", startingAt: 0)
                    + figures.joined(separator: "  ") + " " + row.unit
            }
            .joined(separator: "\n")
    }

    /// Formats the rows for programs: an array of objects.
    static func json(_ rows: [BenchRow]) -> String {
        var json = JSONWriter()
        json.beginArray()
        for row in rows {
            json.beginObject()
            json.member("name", row.name)
            json.member("unit", row.unit)
            for (name, value) in row.values { json.member(name, value) }
            json.endObject()
        }
        json.endArray()
        return String(decoding: json.bytes, as: UTF8.self)
    }
}
