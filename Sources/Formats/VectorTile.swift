/// One layer of points, lines and polygons as a Mapbox Vector Tile, version 2.1.
///
/// No library in use writes protocol buffers. A tile needs only three wire types, so the encoding is implemented here.
/// The same features in the same order give the same bytes. The bytes of several layers, one after the other, are a
/// tile of these layers.
public struct VectorTile: Sendable {
    /// The value of a property.
    public enum Value: Hashable, Sendable {
        /// A string.
        case text(String)
        /// An integer.
        case integer(Int)
        /// A floating-point number.
        case number(Double)
        /// A Boolean.
        case flag(Bool)
    }

    /// The usual number of units along a side of a tile: positions inside are 0..<4096.
    public static let extent = 4_096
    /// The version of the specification.
    public static let version = 2

    /// The name of the layer.
    public let name: String
    /// The number of units along a side of the tile.
    public let extent: Int
    /// The number of features.
    public private(set) var count = 0

    private var features = ProtobufWriter()
    private var keys: [String] = []
    private var values: [Value] = []
    private var keyNumbers: [String: Int] = [:]
    private var valueNumbers: [Value: Int] = [:]

    /// A position in units from the west and from the north.
    public struct Position: Hashable, Sendable {
        /// Units from the west.
        public var x: Int32
        /// Units from the north.
        public var y: Int32

        /// Creates a position from its units.
        public init(x: Int32, y: Int32) {
            self.x = x
            self.y = y
        }
    }

    /// Creates an empty layer with `extent` units along a side.
    public init(name: String, extent: Int = VectorTile.extent) {
        self.name = name
        self.extent = extent
    }

    /// Adds a point `x` units from the west edge and `y` units from the north edge, with its properties in order.
    ///
    /// Positions outside `0..<extent` are written unchanged, but clamped to 32 bits.
    public mutating func addPoint(x: Int, y: Int, id: UInt64? = nil, properties: [(key: String, value: Value)]) {
        var cursor = Cursor()
        cursor.move(to: Position(x: Int32(clamping: x), y: Int32(clamping: y)))
        add(cursor, type: Geometry.point, id: id, properties: properties)
    }

    /// Adds a feature of lines with its properties in order; lines of fewer than two positions are left out.
    ///
    /// - Returns: Whether any line was left to add.
    @discardableResult
    public mutating func addLines(_ lines: [[Position]], properties: [(key: String, value: Value)]) -> Bool {
        var cursor = Cursor()
        for line in lines where line.count >= 2 { cursor.trace(line) }
        guard !cursor.isEmpty else { return false }
        add(cursor, type: Geometry.lines, properties: properties)
        return true
    }

    /// Adds a polygon with its properties in order: an outer ring, clockwise on the screen, then its holes,
    /// counterclockwise.
    ///
    /// A ring does not repeat its first position. Rings of fewer than three positions are left out; without an outer
    /// ring nothing is added.
    /// - Returns: Whether the polygon was added.
    @discardableResult
    public mutating func addPolygon(_ rings: [[Position]], properties: [(key: String, value: Value)]) -> Bool {
        guard let outer = rings.first, outer.count >= 3 else { return false }
        var cursor = Cursor()
        for ring in rings where ring.count >= 3 {
            cursor.trace(ring)
            cursor.close()
        }
        add(cursor, type: Geometry.polygon, properties: properties)
        return true
    }

    private mutating func add(
        _ cursor: Cursor,
        type: UInt64,
        id: UInt64? = nil,
        properties: [(key: String, value: Value)]
    ) {
        var tags = ProtobufWriter()
        for property in properties {
            tags.appendVarint(UInt64(number(of: property.key)))
            tags.appendVarint(UInt64(number(of: property.value)))
        }
        var feature = ProtobufWriter()
        if let id { feature.append(id, field: Field.featureID) }
        feature.append(tags, field: Field.tags)
        feature.append(type, field: Field.geometryType)
        feature.append(cursor.commands, field: Field.geometry)
        features.append(feature, field: Field.features)
        count += 1
    }

    /// The encoded tile; empty if there are no features.
    public var bytes: [UInt8] {
        guard count > 0 else { return [] }
        var layer = ProtobufWriter()
        layer.append(name, field: Field.name)
        layer.append(contentsOf: features)
        for key in keys { layer.append(key, field: Field.keys) }
        for value in values { layer.append(VectorTile.message(value), field: Field.values) }
        layer.append(UInt64(extent), field: Field.extent)
        layer.append(UInt64(VectorTile.version), field: Field.version)
        var tile = ProtobufWriter()
        tile.append(layer, field: Field.layers)
        return tile.bytes
    }

    private mutating func number(of key: String) -> Int {
        if let known = keyNumbers[key] { return known }
        keyNumbers[key] = keys.count
        keys.append(key)
        return keys.count - 1
    }

    private mutating func number(of value: Value) -> Int {
        if let known = valueNumbers[value] { return known }
        valueNumbers[value] = values.count
        values.append(value)
        return values.count - 1
    }

    private static func message(_ value: Value) -> ProtobufWriter {
        var message = ProtobufWriter()
        switch value {
        case .text(let text): message.append(text, field: Field.text)
        case .number(let number): message.append(double: number, field: Field.double)
        case .integer(let number):
            if number < 0 {
                message.append(ProtobufWriter.zigzag(Int64(number)), field: Field.signed)
            } else {
                message.append(UInt64(number), field: Field.unsigned)
            }
        case .flag(let flag): message.append(flag ? 1 : 0, field: Field.flag)
        }
        return message
    }

    /// The field numbers in `vector_tile.proto`.
    private enum Field {
        static let layers = 3
        static let name = 1
        static let features = 2
        static let keys = 3
        static let values = 4
        static let extent = 5
        static let version = 15
        static let featureID = 1
        static let tags = 2
        static let geometryType = 3
        static let geometry = 4
        static let text = 1
        static let double = 3
        static let unsigned = 5
        static let signed = 6
        static let flag = 7
    }

    private enum Geometry {
        static let point: UInt64 = 1
        static let lines: UInt64 = 2
        static let polygon: UInt64 = 3
    }

    /// Writes a geometry as commands, each position as its distance from the one before.
    private struct Cursor {
        private(set) var commands = ProtobufWriter()
        private var last = Position(x: 0, y: 0)

        /// The commands of section 4.3.1 of the specification.
        private enum Command {
            static let moveTo: UInt64 = 1
            static let lineTo: UInt64 = 2
            static let closePath: UInt64 = 7
        }

        var isEmpty: Bool { commands.bytes.isEmpty }

        mutating func move(to position: Position) {
            append(Command.moveTo, times: 1)
            append(position)
        }

        /// Moves to the first of at least two positions, and draws lines to the others.
        mutating func trace(_ line: [Position]) {
            move(to: line[0])
            append(Command.lineTo, times: line.count - 1)
            for position in line.dropFirst() { append(position) }
        }

        mutating func close() { append(Command.closePath, times: 1) }

        private mutating func append(_ command: UInt64, times: Int) {
            commands.appendVarint(UInt64(times) << 3 | command)
        }

        private mutating func append(_ position: Position) {
            // Positions far outside a tile wrap around instead of trapping; the specification has 32 bits only.
            commands.appendVarint(UInt64(ProtobufWriter.zigzag(position.x &- last.x)))
            commands.appendVarint(UInt64(ProtobufWriter.zigzag(position.y &- last.y)))
            last = position
        }
    }
}
