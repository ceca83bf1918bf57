/// A JSON value that was read from outside, within limits.
///
/// The parser is ours because Foundation's accept no limit of depth and say only roughly where a mistake lies.
public enum JSONValue: Hashable, Sendable {
    /// `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A finite number.
    case number(Double)
    /// A string.
    case string(String)
    /// An array.
    case array([JSONValue])
    /// An object; of members with the same name the last one counts.
    case object([String: JSONValue])
}

/// What is wrong with a JSON text, and where.
public struct JSONError: Error, Equatable, Sendable, CustomStringConvertible {
    /// What is wrong, without a full stop.
    public let reason: String
    /// The byte at which it was noticed, counted from zero.
    public let offset: Int
    /// The line of that byte, counted from one.
    public let line: Int
    /// The column of that byte, in bytes counted from one.
    public let column: Int

    /// The reason with line and column.
    public var description: String { "\(reason) at line \(line), column \(column)" }
}

extension JSONValue {
    /// How much a JSON text may ask of its reader.
    public struct Limits: Hashable, Sendable {
        /// The most bytes.
        public var bytes: Int
        /// How deeply arrays and objects may be nested.
        public var depth: Int
        /// Whether an object may name a member twice: two readers could believe different ones.
        public var allowsRepeatedNames: Bool

        /// Creates limits; 64 KiB, a depth of 32 and repeated names unless told otherwise.
        public init(bytes: Int = 65_536, depth: Int = 32, allowsRepeatedNames: Bool = true) {
            self.bytes = bytes
            self.depth = depth
            self.allowsRepeatedNames = allowsRepeatedNames
        }
    }

    /// Reads a JSON text (RFC 8259) in UTF-8; a byte order mark is skipped.
    ///
    /// - Throws: ``JSONError`` for anything the RFC does not allow, a number too large for a double, a lone surrogate,
    ///   and a text beyond the limits.
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

    /// The truth value, or `nil` when it is none.
    public var bool: Bool? {
        if case .bool(let flag) = self { flag } else { nil }
    }

    /// The number, or `nil` when it is none.
    public var number: Double? {
        if case .number(let number) = self { number } else { nil }
    }

    /// The number as an integer, or `nil` when it is not a whole number that fits.
    public var integer: Int? {
        number.flatMap { Int(exactly: $0) }
    }

    /// The string, or `nil` when it is none.
    public var string: String? {
        if case .string(let text) = self { text } else { nil }
    }

    /// The elements, or `nil` when it is no array.
    public var array: [JSONValue]? {
        if case .array(let elements) = self { elements } else { nil }
    }

    /// The members, or `nil` when it is no object.
    public var object: [String: JSONValue]? {
        if case .object(let members) = self { members } else { nil }
    }

    /// The member of that name, or `nil` when it is no object or has none.
    public subscript(name: String) -> JSONValue? { object?[name] }

    /// The element at that index, or `nil` when it is no array or too short.
    public subscript(index: Int) -> JSONValue? {
        guard let array, array.indices.contains(index) else { return nil }
        return array[index]
    }

    /// What the value is, for messages: `a number`, `an object` and so on.
    public var typeName: String {
        switch self {
        case .null: "null"
        case .bool: "a truth value"
        case .number: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }
}
