import Geometry
import Stories

/// Parses numbers and times in trace files; accepts common variants in notation, but no implausible values.
enum TraceText {
    /// Parses a finite decimal number, ignoring surrounding spaces; `nil` otherwise.
    static func number(_ text: some StringProtocol) -> Double? {
        let digits = trimmed(text)
        return DecimalText.number(digits)
    }

    /// Parses an instant: RFC 3339; RFC 3339 with a space for the `T` or without an offset (then UTC, as in GPX and
    /// TCX); or seconds or milliseconds since 1970; `nil` for anything else.
    static func time(_ text: some StringProtocol) -> Timestamp? {
        let text = trimmed(text)
        if let instant = RFC3339.parse(text) { return instant }
        if let number = number(text) { return time(since1970: number) }
        var bytes = Array(text.utf8)
        guard bytes.count >= 19, bytes.count <= 40 else { return nil }
        if bytes[10] == UInt8(ascii: " ") { bytes[10] = UInt8(ascii: "T") }
        bytes.removeAll { $0 == UInt8(ascii: " ") }
        return RFC3339.parse(utf8: bytes) ?? RFC3339.parse(utf8: bytes + [UInt8(ascii: "Z")])
    }

    /// Returns an instant from a number since 1970: seconds below 100,000,000,000, milliseconds from there on.
    ///
    /// In seconds, that limit is the year 5138; in milliseconds, March 1973, before satellite positioning.
    static func time(since1970 number: Double) -> Timestamp? {
        guard number >= 0 else { return nil }
        let milliseconds = (number < 1e11 ? number * 1000 : number).rounded()
        guard let whole = Int64(exactly: milliseconds) else { return nil }
        let instant = Timestamp(milliseconds: whole)
        return instant.day == nil ? nil : instant
    }

    /// Returns a radius in metres, or `nil` if it is zero, negative or implausibly large.
    static func accuracy(_ metres: Double?) -> Double? {
        metres.flatMap { $0 > 0 && $0 <= StoryLimits.accuracy ? $0 : nil }
    }

    /// Returns the radius in metres for a horizontal dilution of precision: five metres per unit.
    static func accuracy(dilution: Double?) -> Double? {
        accuracy(dilution.map { $0 * 5 })
    }

    /// Returns a speed in metres per second, or `nil` if it is negative, which means "unknown", or above 1,000,000.
    static func speed(_ metresPerSecond: Double?) -> Double? {
        metresPerSecond.flatMap { $0 >= 0 && $0 <= 1e6 ? $0 : nil }
    }

    /// Returns a direction in degrees, 360 becoming 0, or `nil` if it is outside 0...360.
    static func course(_ degrees: Double?) -> Double? {
        degrees.flatMap { (0...360).contains($0) ? ($0 == 360 ? 0 : $0) : nil }
    }

    /// Returns `text` without surrounding spaces; `nil` if nothing is left.
    static func words(_ text: some StringProtocol) -> String? {
        let words = trimmed(text)
        return words.isEmpty ? nil : String(words)
    }

    private static func trimmed(_ text: some StringProtocol) -> Substring {
        let text = Substring(text)
        let bytes = text.utf8
        guard let first = bytes.firstIndex(where: { !$0.isBlank }) else { return "" }
        guard let last = bytes.lastIndex(where: { !$0.isBlank }) else { return "" }
        return text[first..<bytes.index(after: last)]
    }
}
