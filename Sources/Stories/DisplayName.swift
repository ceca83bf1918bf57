/// A displayed name, such as that of a user, a family, a collection, a named place or a key.
///
/// It is shown within other text, so it must be a single visible line without characters that could garble or disguise
/// the text around it. The text is kept as given, including leading and trailing spaces.
///
/// All input is validated here. Stored names are not validated again, because older ones may follow an earlier rule.
public struct DisplayName: Hashable, Sendable, CustomStringConvertible {
    /// The name.
    public let text: String

    /// Creates a name of at most `maxBytes` bytes of UTF-8; `nil` if the text is invalid, see ``rule(maxBytes:)``.
    public init?(_ text: String, maxBytes: Int = StoryLimits.nameLength) {
        guard text.utf8.count <= maxBytes, !StoryLimits.isBlank(text),
            !text.unicodeScalars.contains(where: { $0.breaksLine || $0.turnsText })
        else { return nil }
        self.text = text
    }

    /// The name.
    public var description: String { text }

    /// Returns the rule for valid names, as a phrase that follows the name of a field or option.
    public static func rule(maxBytes: Int = StoryLimits.nameLength) -> String {
        "must be one line of 1 to \(maxBytes) bytes, not blank, without control characters or marks that reverse text"
    }
}

extension DisplayName {
    /// The error thrown for a text that is not a valid name.
    public struct Refusal: Error, Hashable, Sendable, CustomStringConvertible {
        /// The field or option with the text.
        public let field: String
        /// The violated rule, as a phrase that follows the field.
        public let message: String

        /// One sentence, with the field.
        public var description: String { "\(field) \(message)." }
    }

    /// Validates a name given in a field or an option.
    ///
    /// - Throws: ``Refusal``, which contains the rule but not the text.
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
    /// Whether this is a control character (C0, DEL or C1) or a line separator.
    package var breaksLine: Bool {
        switch value {
        case 0..<0x20, 0x7F..<0xA0, 0x2028, 0x2029: true
        default: false
        }
    }

    /// Whether this changes the direction of the following text: an embedding, an override or an isolate.
    ///
    /// Directional marks without a range (U+200E, U+200F, U+061C), which right-to-left names need, do not count.
    package var turnsText: Bool {
        switch value {
        case 0x202A...0x202E, 0x2066...0x2069: true
        default: false
        }
    }

    /// Whether this is drawn: it is neither white space nor default-ignorable, nor the cell of Braille without dots.
    package var isVisible: Bool {
        !properties.isWhitespace && !properties.isDefaultIgnorableCodePoint && self != Unicode.Scalar.blankBraille
    }

    /// U+2800, the space of Braille: to Unicode it is a symbol.
    fileprivate static let blankBraille: Unicode.Scalar = "\u{2800}"
}

extension Character {
    /// Whether any scalar of the character is visible; an accent on a space does not count.
    var isVisible: Bool {
        !isWhitespace && unicodeScalars.first != .blankBraille && unicodeScalars.contains(where: \.isVisible)
    }
}
