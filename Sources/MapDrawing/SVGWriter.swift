/// A value of an attribute.
enum SVGValue: Sendable {
    /// Any text; it is escaped.
    case text(String)
    /// A number, written with at most two digits after the point.
    case number(Double)
}

/// Writes SVG.
///
/// Elements and attributes are named by the program alone, and every text is escaped: nothing that comes from outside
/// can become markup.
struct SVGWriter: Sendable {
    /// What is written, in UTF-8.
    private(set) var bytes: [UInt8] = []

    /// Writes an element; attributes without a value are left out.
    mutating func element(
        _ name: StaticString,
        _ attributes: [(name: StaticString, value: SVGValue?)] = [],
        _ content: ((inout SVGWriter) -> Void)? = nil
    ) {
        bytes.append(UInt8(ascii: "<"))
        append(name)
        for case (let name, let value?) in attributes {
            bytes.append(UInt8(ascii: " "))
            append(name)
            bytes += Array("=\"".utf8)
            switch value {
            case .text(let text): append(escaped: text)
            case .number(let number): bytes += Array(SVGWriter.text(number).utf8)
            }
            bytes.append(UInt8(ascii: "\""))
        }
        guard let content else { return bytes += Array("/>".utf8) }
        bytes.append(UInt8(ascii: ">"))
        content(&self)
        bytes += Array("</".utf8)
        append(name)
        bytes.append(UInt8(ascii: ">"))
    }

    /// Writes an element that contains a text only.
    mutating func element(
        _ name: StaticString,
        _ attributes: [(name: StaticString, value: SVGValue?)] = [],
        text: String
    ) {
        element(name, attributes) { $0.append(escaped: text) }
    }

    /// Begins a new line, where it makes no difference.
    mutating func newLine() { bytes.append(UInt8(ascii: "\n")) }

    private mutating func append(_ text: StaticString) { text.withUTF8Buffer { bytes.append(contentsOf: $0) } }

    /// Appends a text without the characters that XML 1.0 (section 2.2) forbids.
    private mutating func append(escaped text: String) {
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": bytes += Array("&amp;".utf8)
            case "<": bytes += Array("&lt;".utf8)
            case ">": bytes += Array("&gt;".utf8)
            case "\"": bytes += Array("&quot;".utf8)
            case "\t", "\n", "\r": bytes.append(UInt8(ascii: " "))
            case "\u{0}"..."\u{1F}", "\u{FFFE}", "\u{FFFF}": continue
            default: bytes += Array(String(scalar).utf8)
            }
        }
    }

    /// Returns a number with at most two digits after the point, the same on every machine.
    static func text(_ number: Double) -> String {
        guard number.isFinite, abs(number) < 1e12 else { return "0" }
        let hundredths = Int((number * 100).rounded())
        let (whole, part) = (abs(hundredths) / 100, abs(hundredths) % 100)
        let sign = hundredths < 0 ? "-" : ""
        if part == 0 { return "\(sign)\(whole)" }
        return "\(sign)\(whole).\(part < 10 ? "0" : "")\(part % 10 == 0 && part >= 10 ? part / 10 : part)"
    }
}
