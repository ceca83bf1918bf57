/// A layer of a vector tile, parsed strictly by `vector_tile.proto` and without any code of the writer.
public struct VectorTileReader: Sendable {
    /// The value of a property.
    public enum Value: Hashable, Sendable {
        case text(String), integer(Int), number(Double), flag(Bool)
    }

    /// A position in units from the western and the northern edge.
    public struct Position: Hashable, Sendable {
        /// Units from the western edge.
        public var x: Int
        /// Units from the northern edge.
        public var y: Int
    }

    /// A point, some lines or a polygon, with its properties.
    public struct Feature: Hashable, Sendable {
        /// The id, if the feature has one.
        public var id: UInt64?
        /// The distance from the western edge in units.
        public var x = 0
        /// The distance from the northern edge in units.
        public var y = 0
        /// The lines, or the rings of a polygon without repeated last positions; empty for a point.
        public var parts: [[Position]] = []
        /// The properties by name.
        public var properties: [String: Value] = [:]

        /// Creates a point at the north-western corner, without properties.
        public init() {}
    }

    /// An error in a tile.
    public struct Fault: Error, Sendable, CustomStringConvertible {
        /// The error in one sentence.
        public let description: String
    }

    /// The name of the layer.
    public private(set) var name = ""
    /// The version of the specification.
    public private(set) var version: UInt64 = 1
    /// The number of units along a side of the tile.
    public private(set) var extent: UInt64 = 4_096
    /// The features in file order.
    public private(set) var features: [Feature] = []
    /// The property names in file order.
    public private(set) var keys: [String] = []
    /// The property values in file order.
    public private(set) var values: [Value] = []

    /// One field of a message.
    private struct Field {
        let number: UInt64
        var varint: UInt64 = 0
        var bytes: ArraySlice<UInt8> = []

        var text: String {
            get throws {
                guard let text = String(validating: bytes, as: UTF8.self) else {
                    throw Fault(description: "A text is not UTF-8.")
                }
                return text
            }
        }
    }

    /// Reads all layers of a tile.
    ///
    /// - Throws: ``Fault`` if the tile violates the specification.
    public static func layers(_ tile: [UInt8]) throws -> [VectorTileReader] {
        let layers = try fields(tile[...])
        guard layers.allSatisfy({ $0.number == 3 }) else { throw Fault(description: "A field is not a layer.") }
        return try layers.map { try VectorTileReader(layer: $0.bytes) }
    }

    /// Reads a tile of one layer.
    ///
    /// - Throws: ``Fault`` if the tile violates the specification or has several layers.
    public init(_ tile: [UInt8]) throws {
        let layers = try Self.fields(tile[...])
        guard layers.map(\.number) == [3] else { throw Fault(description: "The tile has not one layer.") }
        try self.init(layer: layers[0].bytes)
    }

    private init(layer: ArraySlice<UInt8>) throws {
        let fields = try Self.fields(layer)
        for field in fields {
            switch field.number {
            case 1: name = try field.text
            case 2: continue
            case 3: keys.append(try field.text)
            case 4: values.append(try Self.value(field.bytes))
            case 5: extent = field.varint
            case 15: version = field.varint
            default: throw Fault(description: "No field \(field.number) of a layer is known.")
            }
        }
        for field in fields where field.number == 2 { features.append(try feature(field.bytes)) }
    }

    private func feature(_ bytes: ArraySlice<UInt8>) throws -> Feature {
        var feature = Feature()
        var type: UInt64 = 0
        var commands: [UInt64] = []
        for field in try Self.fields(bytes) {
            switch field.number {
            case 1: feature.id = field.varint
            case 2: feature.properties = try properties(try Self.varints(field.bytes))
            case 3: type = field.varint
            case 4:
                commands = try Self.varints(field.bytes)
            default: throw Fault(description: "No field \(field.number) of a feature is known.")
            }
        }
        switch type {
        case 1:
            // One point is encoded as one MoveTo command with one pair of numbers.
            guard commands.count == 3, commands[0] == 9 else { throw Fault(description: "This is not one point.") }
            (feature.x, feature.y) = (Self.signed(commands[1]), Self.signed(commands[2]))
        case 2, 3: feature.parts = try Self.parts(commands[...], areClosed: type == 3)
        default: throw Fault(description: "No type \(type) of a geometry is known.")
        }
        return feature
    }

    /// Reads lines or rings: each a MoveTo, a LineTo with the other positions and, for a ring, a ClosePath.
    private static func parts(_ commands: ArraySlice<UInt64>, areClosed: Bool) throws -> [[Position]] {
        var rest = commands
        var last = Position(x: 0, y: 0)
        func position() throws -> Position {
            guard let x = rest.popFirst(), let y = rest.popFirst() else {
                throw Fault(description: "A geometry ends in the middle.")
            }
            last = Position(x: last.x + signed(x), y: last.y + signed(y))
            return last
        }
        var parts: [[Position]] = []
        while let command = rest.popFirst() {
            guard command == 9 else { throw Fault(description: "A part does not begin with one MoveTo.") }
            var part = [try position()]
            guard let line = rest.popFirst(), line & 7 == 2, line >> 3 >= (areClosed ? 2 : 1) else {
                throw Fault(description: "A part has no LineTo, or too few positions.")
            }
            for _ in 0..<(line >> 3) { part.append(try position()) }
            if areClosed {
                guard rest.popFirst() == 15 else { throw Fault(description: "A ring does not end with one ClosePath.") }
            }
            parts.append(part)
        }
        guard !parts.isEmpty else { throw Fault(description: "A geometry is empty.") }
        return parts
    }

    private func properties(_ tags: [UInt64]) throws -> [String: Value] {
        guard tags.count.isMultiple(of: 2) else { throw Fault(description: "A property has no value.") }
        var properties: [String: Value] = [:]
        for index in stride(from: 0, to: tags.count, by: 2) {
            guard tags[index] < keys.count, tags[index + 1] < values.count else {
                throw Fault(description: "A property names what is not in the layer.")
            }
            let old = properties.updateValue(values[Int(tags[index + 1])], forKey: keys[Int(tags[index])])
            guard old == nil else { throw Fault(description: "A property is there twice.") }
        }
        return properties
    }

    private static func value(_ bytes: ArraySlice<UInt8>) throws -> Value {
        let fields = try fields(bytes)
        guard fields.count == 1 else { throw Fault(description: "A value is not one value.") }
        let field = fields[0]
        switch field.number {
        case 1: return .text(try field.text)
        case 3: return .number(Double(bitPattern: field.bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }))
        case 5: return .integer(Int(field.varint))
        case 6: return .integer(signed(field.varint))
        case 7: return .flag(field.varint != 0)
        default: throw Fault(description: "No field \(field.number) of a value is known.")
        }
    }

    private static func signed(_ number: UInt64) -> Int {
        number & 1 == 0 ? Int(number >> 1) : -Int(number >> 1) - 1
    }

    private static func varints(_ bytes: ArraySlice<UInt8>) throws -> [UInt64] {
        var rest = bytes
        var numbers: [UInt64] = []
        while !rest.isEmpty { numbers.append(try varint(&rest)) }
        return numbers
    }

    private static func varint(_ rest: inout ArraySlice<UInt8>) throws -> UInt64 {
        var number: UInt64 = 0
        var shift: UInt64 = 0
        while let byte = rest.popFirst(), shift < 64 {
            number |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return number }
            shift += 7
        }
        throw Fault(description: "A number does not end.")
    }

    private static func fields(_ bytes: ArraySlice<UInt8>) throws -> [Field] {
        var rest = bytes
        var fields: [Field] = []
        while !rest.isEmpty {
            let key = try varint(&rest)
            var field = Field(number: key >> 3)
            switch key & 7 {
            case 0:
                field.varint = try varint(&rest)
            case 1, 2:
                let count = key & 7 == 1 ? 8 : try varint(&rest)
                guard count <= rest.count else { throw Fault(description: "A field ends after the tile.") }
                field.bytes = rest.prefix(Int(count))
                rest = rest.dropFirst(Int(count))
            default:
                throw Fault(description: "No field here has the wire type \(key & 7).")
            }
            fields.append(field)
        }
        return fields
    }
}
