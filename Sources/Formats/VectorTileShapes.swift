/// Reads the features of a Mapbox Vector Tile, version 2.1, without their ids.
///
/// Nothing in the bytes is trusted: what is not a tile is reported as ``Damage``.
public enum VectorTileShapes: Sendable {
    /// The bytes are not a vector tile.
    public struct Damage: Error, Hashable, Sendable {}

    /// What the paths of a feature are.
    public enum Form: UInt64, Hashable, Sendable {
        /// Something that is not drawn.
        case unknown
        /// Points: paths of one position.
        case points
        /// Lines.
        case lines
        /// Rings of areas; a ring does not repeat its first position.
        case areas
    }

    /// A feature of a layer.
    public struct Feature: Hashable, Sendable {
        /// What its paths are.
        public var form = Form.unknown
        /// The paths in units of the layer.
        public var paths: [[VectorTile.Position]] = []
        /// The properties by name; one whose value cannot be read is left out.
        public var properties: [String: VectorTile.Value] = [:]

        /// Returns a property if it is a text.
        public func text(_ name: String) -> String? {
            guard case .text(let text)? = properties[name] else { return nil }
            return text
        }

        /// Returns a property if it is a number.
        public func number(_ name: String) -> Double? {
            switch properties[name] {
            case .integer(let number): Double(number)
            case .number(let number): number
            default: nil
            }
        }
    }

    /// A layer of a tile.
    public struct Layer: Hashable, Sendable {
        /// The name of the layer.
        public var name = ""
        /// The number of units along a side of the tile, at least 1.
        public var extent = VectorTile.extent
        /// The features in the order of the bytes.
        public var features: [Feature] = []

        /// The paths of all features.
        public var paths: [[VectorTile.Position]] { features.flatMap(\.paths) }
    }

    /// Returns the layers of a tile in the order of their bytes.
    ///
    /// - Throws: ``Damage``.
    public static func layers(of bytes: [UInt8]) throws(Damage) -> [Layer] {
        var fields = ProtobufFields(bytes[...])
        var layers: [Layer] = []
        while let field = try fields.next() {
            if field.number == 3, case .bytes(let layer) = field.value { layers.append(try self.layer(layer)) }
        }
        return layers
    }

    private static func layer(_ bytes: ArraySlice<UInt8>) throws(Damage) -> Layer {
        var fields = ProtobufFields(bytes)
        var layer = Layer()
        var (keys, values, tags): ([String], [VectorTile.Value?], [[Int]]) = ([], [], [])
        while let field = try fields.next() {
            switch (field.number, field.value) {
            case (1, .bytes(let name)): layer.name = String(decoding: name, as: UTF8.self)
            case (2, .bytes(let feature)):
                let (feature, numbers) = try self.feature(feature)
                layer.features.append(feature)
                tags.append(numbers)
            case (3, .bytes(let key)): keys.append(String(decoding: key, as: UTF8.self))
            case (4, .bytes(let value)): values.append(try self.value(value))
            case (5, .number(let extent)):
                guard let extent = Int(exactly: extent), (1...1 << 24).contains(extent) else { throw Damage() }
                layer.extent = extent
            default: continue
            }
        }
        // Keys and values may stand behind the features that use them.
        for (index, numbers) in tags.enumerated() {
            for pair in stride(from: 0, to: numbers.count - 1, by: 2) {
                let (key, value) = (numbers[pair], numbers[pair + 1])
                guard keys.indices.contains(key), values.indices.contains(value) else { throw Damage() }
                layer.features[index].properties[keys[key]] = values[value]
            }
        }
        return layer
    }

    /// Returns a feature without properties, and the numbers of their keys and values in turn.
    private static func feature(_ bytes: ArraySlice<UInt8>) throws(Damage) -> (Feature, tags: [Int]) {
        var fields = ProtobufFields(bytes)
        var (feature, tags): (Feature, [Int]) = (Feature(), [])
        while let field = try fields.next() {
            switch (field.number, field.value) {
            case (2, .bytes(let numbers)):
                var numbers = ProtobufFields(numbers)
                while !numbers.isAtEnd { tags.append(Int(clamping: try numbers.varint())) }
            case (3, .number(let form)): feature.form = Form(rawValue: form) ?? .unknown
            case (4, .bytes(let commands)): feature.paths += try paths(commands)
            default: continue
            }
        }
        return (feature, tags)
    }

    /// Returns the value of a property; `nil` if it is of no known type.
    private static func value(_ bytes: ArraySlice<UInt8>) throws(Damage) -> VectorTile.Value? {
        var fields = ProtobufFields(bytes)
        var value: VectorTile.Value?
        while let field = try fields.next() {
            switch (field.number, field.value) {
            case (1, .bytes(let text)): value = .text(String(decoding: text, as: UTF8.self))
            case (2, .four(let bits)): value = .number(Double(Float(bitPattern: bits)))
            case (3, .eight(let bits)): value = .number(Double(bitPattern: bits))
            case (4, .number(let bits)): value = .integer(Int(Int64(bitPattern: bits)))
            case (5, .number(let number)): value = .integer(Int(clamping: number))
            case (6, .number(let bits)): value = .integer(Int(Int64(bits >> 1) ^ -Int64(bits & 1)))
            case (7, .number(let bit)): value = .flag(bit != 0)
            default: continue
            }
        }
        return value
    }

    /// Returns the paths of a sequence of commands (section 4.3 of the specification).
    private static func paths(_ commands: ArraySlice<UInt8>) throws(Damage) -> [[VectorTile.Position]] {
        var fields = ProtobufFields(commands)
        var paths: [[VectorTile.Position]] = []
        var place = VectorTile.Position(x: 0, y: 0)
        while !fields.isAtEnd {
            let command = try fields.varint()
            let isMove = command & 7 == 1
            // The end of a ring has no position; every other command has, so the bytes limit how many there are.
            if command & 7 == 7 { continue }
            guard isMove || command & 7 == 2 else { throw Damage() }
            for _ in 0..<(command >> 3) {
                place.x &+= try fields.signed()
                place.y &+= try fields.signed()
                if isMove { paths.append([]) }
                guard !paths.isEmpty else { throw Damage() }
                paths[paths.count - 1].append(place)
            }
        }
        return paths
    }
}

/// Reads the fields of a protocol buffers message, one after the other.
private struct ProtobufFields {
    /// The value of a field.
    enum Value {
        case number(UInt64)
        case bytes(ArraySlice<UInt8>)
        /// The bits of a value of four bytes.
        case four(UInt32)
        /// The bits of a value of eight bytes.
        case eight(UInt64)
    }

    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    var isAtEnd: Bool { rest.isEmpty }

    /// Reads the next field; `nil` at the end.
    mutating func next() throws(VectorTileShapes.Damage) -> (number: UInt64, value: Value)? {
        guard !isAtEnd else { return nil }
        let key = try varint()
        switch key & 7 {
        case 0: return (key >> 3, .number(try varint()))
        case 1: return (key >> 3, .eight(try bits(8)))
        case 2: return (key >> 3, .bytes(try take(try varint())))
        case 5: return (key >> 3, .four(UInt32(truncatingIfNeeded: try bits(4))))
        default: throw VectorTileShapes.Damage()
        }
    }

    /// Reads a number in groups of seven bits, the lowest first.
    mutating func varint() throws(VectorTileShapes.Damage) -> UInt64 {
        var value: UInt64 = 0
        for group in 0..<10 {
            guard let byte = rest.popFirst() else { break }
            value |= UInt64(byte & 0x7F) << UInt64(7 * group)
            if byte < 0x80 { return value }
        }
        throw VectorTileShapes.Damage()
    }

    /// Reads a signed number, of which 0, -1, 1, -2 are stored as 0, 1, 2, 3.
    mutating func signed() throws(VectorTileShapes.Damage) -> Int32 {
        let stored = UInt32(truncatingIfNeeded: try varint())
        return Int32(bitPattern: stored >> 1) ^ -Int32(bitPattern: stored & 1)
    }

    /// Reads a number of some bytes, the lowest first.
    private mutating func bits(_ count: UInt64) throws(VectorTileShapes.Damage) -> UInt64 {
        try take(count).reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    private mutating func take(_ count: UInt64) throws(VectorTileShapes.Damage) -> ArraySlice<UInt8> {
        guard count <= UInt64(rest.count) else { throw VectorTileShapes.Damage() }
        let taken = rest.prefix(Int(count))
        rest = rest.dropFirst(Int(count))
        return taken
    }
}
