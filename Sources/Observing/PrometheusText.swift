/// Metrics in the text format of Prometheus, version 0.0.4.
public enum PrometheusText: Sendable {
    /// The media type.
    public static let mediaType = "text/plain; version=0.0.4"

    /// Returns the text of metrics, in the given order.
    public static func write(_ families: [MetricFamily]) -> [UInt8] {
        var text = ""
        for family in families {
            text += "# HELP \(family.name) \(escaped(family.help, quotes: false))\n"
            text += "# TYPE \(family.name) \(family.kind.rawValue)\n"
            for sample in family.samples {
                text += family.name + sample.suffix
                if !sample.labels.isEmpty {
                    let labels = sample.labels.map { "\($0.name)=\"\(escaped($0.value, quotes: true))\"" }
                    text += "{" + labels.joined(separator: ",") + "}"
                }
                text += " \(number(sample.value))\n"
            }
        }
        return Array(text.utf8)
    }

    /// Returns a number as Prometheus reads it, without a fraction if it has none.
    static func number(_ value: Double) -> String {
        guard value.isFinite else { return value.isNaN ? "NaN" : value < 0 ? "-Inf" : "+Inf" }
        return value == value.rounded() && abs(value) < 1e15 ? String(Int64(value)) : value.description
    }

    private static func escaped(_ text: String, quotes: Bool) -> String {
        var result = ""
        for character in text.unicodeScalars {
            switch character {
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\"" where quotes: result += "\\\""
            default: result.unicodeScalars.append(character)
            }
        }
        return result
    }
}
