/// Reads the lines and areas of a Mapbox Vector Tile, version 2.1, without ids and properties.
///
/// Nothing in the bytes is trusted: what is not a tile is reported as ``Damage``.
public enum VectorTileShapes: Sendable {
    /// The bytes are not a vector tile.
    public struct Damage: Error, Hashable, Sendable {}

    /// A layer of a tile.
    public struct Layer: Hashable, Sendable {
        /// The name of the layer.
        public var name = ""
        /// The number of units along a side of the tile, at least 1.
        public var extent = VectorTile.extent
        /// The paths of all lines, and the rings of all areas, in the order of the features.
        ///
        /// A ring does not repeat its first position. Points are paths of one position.
        public var paths: [[VectorTile.Position]] = []
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
        while let field = try fields.next() {
            switch (field.number, field.value) {
            case (1, .bytes(let name)): layer.name = String(decoding: name, as: UTF8.self)
            case (2, .bytes(let feature)): layer.paths += try paths(ofFeature: feature)
            case (5, .number(let extent)):
                guard let extent = Int(exactly: extent), (1...1 << 24).contains(extent) else { throw Damage() }
                layer.extent = extent
            default: continue
            }
        }
        return layer
    }

    private static func paths(ofFeature bytes: ArraySlice<UInt8>) throws(Damage) -> [[VectorTile.Position]] {
        var fields = ProtobufFields(bytes)
        var paths: [[VectorTile.Position]] = []
        while let field = try fields.next() {
            if field.number == 4, case .bytes(let commands) = field.value { paths += try self.paths(commands) }
        }
        return paths
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
        /// A value of a fixed length, which no field read here has.
        case other
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
        case 1:
            _ = try take(8)
            return (key >> 3, .other)
        case 2: return (key >> 3, .bytes(try take(try varint())))
        case 5:
            _ = try take(4)
            return (key >> 3, .other)
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

    private mutating func take(_ count: UInt64) throws(VectorTileShapes.Damage) -> ArraySlice<UInt8> {
        guard count <= UInt64(rest.count) else { throw VectorTileShapes.Damage() }
        let taken = rest.prefix(Int(count))
        rest = rest.dropFirst(Int(count))
        return taken
    }
}
