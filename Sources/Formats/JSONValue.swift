/// A JSON value parsed from untrusted input, within limits.
///
/// Foundation's parsers have no depth limit and report only approximate positions of errors.
public enum JSONValue: Hashable, Sendable {
    /// `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A finite number.
    case number(Double)
    /// An integer of 2^53 or beyond as written: a double would keep only its first digits.
    case digits(String)
    /// A string.
    case string(String)
    /// An array.
    case array([JSONValue])
    /// An object; of members with the same name, the last one counts.
    case object([String: JSONValue])
}

/// An error in a JSON text, with its position.
public struct JSONError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The error, without a full stop.
    public let reason: String
    /// The offset of the byte at which the error was detected, starting at zero.
    public let offset: Int
    /// The line of that byte, starting at one.
    public let line: Int
    /// The column of that byte in bytes, starting at one.
    public let column: Int

    /// The reason with line and column.
    public var description: String { "\(reason) at line \(line), column \(column)" }
}

extension JSONValue {
    /// The limits for parsing a JSON text.
    public struct Limits: Hashable, Sendable {
        /// The maximum size in bytes.
        public var bytes: Int
        /// The maximum nesting depth of arrays and objects.
        public var depth: Int
        /// Whether an object may repeat a name.
        ///
        /// Repeated names are a risk, because two parsers may choose different members.
        public var allowsRepeatedNames: Bool

        /// Creates limits, by default 64 KiB, a depth of 32 and repeated names allowed.
        public init(bytes: Int = 65_536, depth: Int = 32, allowsRepeatedNames: Bool = true) {
            self.bytes = bytes
            self.depth = depth
            self.allowsRepeatedNames = allowsRepeatedNames
        }
    }

    /// Parses a JSON text (RFC 8259) in UTF-8; a byte order mark is skipped.
    ///
    /// - Throws: ``JSONError`` for anything the RFC does not allow, a number too large for a double, a lone surrogate,
    ///   or a text beyond the limits.
    public init(parsing bytes: [UInt8], limits: Limits = Limits()) throws(JSONError) {
        guard bytes.count <= limits.bytes else {
            let reason = "the text has \(bytes.count) bytes, more than the limit of \(limits.bytes)"
            throw JSONError(reason: reason, offset: 0, line: 1, column: 1)
        }
        var parser = JSONParser(bytes, depth: limits.depth)
        parser.allowsRepeatedNames = limits.allowsRepeatedNames
        self = try parser.value()
        try parser.end()
    }

    /// Whether the value is `null`.
    public var isNull: Bool { self == .null }

    /// The Boolean, or `nil` for other types.
    public var bool: Bool? {
        if case .bool(let flag) = self { flag } else { nil }
    }

    /// The number, or `nil` for other types.
    public var number: Double? {
        switch self {
        case .number(let number): number
        case .digits(let digits): Double(digits)
        default: nil
        }
    }

    /// The number as an integer, or `nil` if it is not an integer that fits.
    public var integer: Int? {
        number.flatMap { Int(exactly: $0) }
    }

    /// The string, or `nil` for other types.
    public var string: String? {
        if case .string(let text) = self { text } else { nil }
    }

    /// The elements, or `nil` if it is not an array.
    public var array: [JSONValue]? {
        if case .array(let elements) = self { elements } else { nil }
    }

    /// The members, or `nil` if it is not an object.
    public var object: [String: JSONValue]? {
        if case .object(let members) = self { members } else { nil }
    }

    /// The member with that name, or `nil` if it is not an object or has no such member.
    public subscript(name: String) -> JSONValue? { object?[name] }

    /// The element at that index, or `nil` if it is not an array or is too short.
    public subscript(index: Int) -> JSONValue? {
        guard let array, array.indices.contains(index) else { return nil }
        return array[index]
    }

    /// The type of the value, for messages: `a number`, `an object` and so on.
    public var typeName: String {
        switch self {
        case .null: "null"
        case .bool: "a truth value"
        case .number, .digits: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }
}
