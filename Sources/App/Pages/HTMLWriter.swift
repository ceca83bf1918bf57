import Stories

/// An address that a page may link or load: a path of this service, or one with `http` or `https`.
///
/// There is no other way to write a link, so no page can hold one that runs a script.
package struct WebAddress: Hashable, Sendable {
    /// The address.
    package let text: String

    /// Reads an address; `nil` unless it is a web address by ``StoryLimits/isWebAddress(_:)``.
    package init?(_ text: String) {
        guard StoryLimits.isWebAddress(text) else { return nil }
        self.text = text
    }
}

/// An attribute of an element; its name is always one of ours.
package enum HTMLAttribute: Sendable {
    /// An attribute with a text. Names that a browser would follow or run are not written: see ``isPlain(_:)``.
    case text(StaticString, String)
    /// An attribute without a value.
    case flag(StaticString)
    /// The target of a link; without one, the attribute is left out.
    case href(WebAddress?)
    /// The picture or recording to load; without one, the attribute is left out.
    case src(WebAddress?)

    /// The names of attributes that a browser follows, runs or applies, besides the handlers of events.
    private static let followed: Set<String> = [
        "href", "src", "srcset", "srcdoc", "action", "formaction", "data", "poster", "style", "xlink:href",
        "background", "ping", "cite", "http-equiv",
    ]

    /// Returns whether an attribute of this name never holds an address, a script or a style.
    package static func isPlain(_ name: StaticString) -> Bool {
        let name = name.description.lowercased()
        return !followed.contains(name) && !name.hasPrefix("on")
    }
}

/// Writes HTML in which texts stay texts.
///
/// Names of elements and attributes, and markup as such, are texts of the program's source (`StaticString`); everything
/// else is escaped. So nothing that a user wrote can become markup.
package struct HTMLWriter: Sendable {
    /// What has been written.
    package private(set) var bytes: [UInt8] = []

    /// Creates a writer with room for about `capacity` bytes.
    package init(capacity: Int = 8_192) { bytes.reserveCapacity(capacity) }

    /// Writes an element with its content.
    package mutating func element(
        _ name: StaticString,
        _ attributes: [HTMLAttribute] = [],
        _ content: (inout HTMLWriter) -> Void
    ) {
        begin(name, attributes)
        content(&self)
        append("</")
        append(name)
        append(">")
    }

    /// Writes an element that contains only a text.
    package mutating func element(_ name: StaticString, _ attributes: [HTMLAttribute] = [], text: String) {
        element(name, attributes) { html in html.text(text) }
    }

    /// Writes an element that has no content and no end, such as `img`.
    package mutating func void(_ name: StaticString, _ attributes: [HTMLAttribute] = []) { begin(name, attributes) }

    /// Writes a text, escaped.
    ///
    /// Control characters, which HTML does not allow, become U+FFFD; a carriage return is left out.
    package mutating func text(_ text: String) {
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": append("&amp;")
            case "<": append("&lt;")
            case ">": append("&gt;")
            case "\"": append("&quot;")
            case "'": append("&#39;")
            case "\r": continue
            case "\n", "\t": bytes.append(UInt8(truncatingIfNeeded: scalar.value))
            default:
                let written: Unicode.Scalar = HTMLWriter.isControl(scalar) ? "\u{FFFD}" : scalar
                bytes.append(contentsOf: written.utf8)
            }
        }
    }

    /// Writes markup that stands in the program's source.
    package mutating func markup(_ markup: StaticString) { append(markup) }

    private mutating func begin(_ name: StaticString, _ attributes: [HTMLAttribute]) {
        append("<")
        append(name)
        for attribute in attributes { write(attribute) }
        append(">")
    }

    private mutating func write(_ attribute: HTMLAttribute) {
        switch attribute {
        case .text(let name, let value): if HTMLAttribute.isPlain(name) { write(name, value) }
        case .href(let address): if let address { write("href", address.text) }
        case .src(let address): if let address { write("src", address.text) }
        case .flag(let name):
            guard HTMLAttribute.isPlain(name) else { return }
            append(" ")
            append(name)
        }
    }

    private mutating func write(_ name: StaticString, _ value: String) {
        append(" ")
        append(name)
        append("=\"")
        text(value)
        append("\"")
    }

    private mutating func append(_ markup: StaticString) {
        markup.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value < 0x20 || (0x7F..<0xA0).contains(scalar.value)
    }
}
