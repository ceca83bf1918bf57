/// A name that people are shown, such as that of a user, a family, a collection, a named place or a key.
///
/// It stands in the midst of other words, so it is one line that can be seen, and holds nothing that could garble or
/// disguise the rest. The text stays as it was given, blanks at its ends included.
///
/// Every name passes here on its way in. What is stored already is read as it is, whatever rule it was stored under.
public struct DisplayName: Hashable, Sendable, CustomStringConvertible {
    /// The name.
    public let text: String

    /// Creates a name of at most `maxBytes` bytes of UTF-8; `nil` for a text that is none, see ``rule(maxBytes:)``.
    public init?(_ text: String, maxBytes: Int = StoryLimits.nameLength) {
        guard text.utf8.count <= maxBytes, text.contains(where: \.isVisible),
            !text.unicodeScalars.contains(where: { $0.breaksLine || $0.turnsText })
        else { return nil }
        self.text = text
    }

    /// The name.
    public var description: String { text }

    /// Returns what is wrong with a text that is no name, to be read after the field or option it was given in.
    public static func rule(maxBytes: Int = StoryLimits.nameLength) -> String {
        "must be one line of 1 to \(maxBytes) bytes, not blank, without control characters and marks that turn text "
            + "around"
    }
}

extension DisplayName {
    /// A text that was given for a name and is none.
    public struct Refusal: Error, Hashable, Sendable, CustomStringConvertible {
        /// The field or option that the text was given in.
        public let field: String
        /// The rule that it breaks, to be read after the field.
        public let message: String

        /// One sentence, with the field.
        public var description: String { "\(field) \(message)." }
    }

    /// Reads a name that was given in a field or an option.
    ///
    /// - Throws: ``Refusal``, which says the rule and never the text.
    public init(
        _ text: String,
        in field: String,
        maxBytes: Int = StoryLimits.nameLength
    ) throws(Refusal) {
        guard let name = DisplayName(text, maxBytes: maxBytes) else {
            throw Refusal(field: field, message: DisplayName.rule(maxBytes: maxBytes))
        }
        self = name
    }
}

extension Unicode.Scalar {
    /// Whether this is a control character (C0, DEL or C1) or a separator of lines.
    package var breaksLine: Bool {
        switch value {
        case 0..<0x20, 0x7F..<0xA0, 0x2028, 0x2029: true
        default: false
        }
    }

    /// Whether this turns the direction of the text after it: an embedding, an override or an isolate.
    ///
    /// The marks of single letters, which right-to-left names need, do not.
    package var turnsText: Bool {
        switch value {
        case 0x202A...0x202E, 0x2066...0x2069: true
        default: false
        }
    }

    /// Whether this leaves something on the paper: neither white space nor one of those that programs do not draw.
    package var isVisible: Bool { !properties.isWhitespace && !properties.isDefaultIgnorableCodePoint }
}

extension Character {
    /// Whether anything of this can be seen; an accent on a blank does not count.
    fileprivate var isVisible: Bool { !isWhitespace && unicodeScalars.contains(where: \.isVisible) }
}
