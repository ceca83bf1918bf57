/// One layer of points as a Mapbox Vector Tile, version 2.1.
///
/// No library in use writes protocol buffers. A tile needs only three wire types, so the encoding is implemented here.
/// The same points in the same order give the same bytes.
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

    /// The number of units along a side of a tile: positions inside are 0..<4096.
    public static let extent = 4_096
    /// The version of the specification.
    public static let version = 2

    /// The name of the layer.
    public let name: String
    /// The number of points.
    public private(set) var count = 0

    private var features = ProtobufWriter()
    private var keys: [String] = []
    private var values: [Value] = []
    private var keyNumbers: [String: Int] = [:]
    private var valueNumbers: [Value: Int] = [:]

    /// Creates a layer without points.
    public init(name: String) {
        self.name = name
    }

    /// Adds a point `x` units from the west edge and `y` units from the north edge, with its properties in order.
    ///
    /// Positions outside `0..<extent` are written unchanged, but clamped to 32 bits.
    public mutating func addPoint(x: Int, y: Int, id: UInt64? = nil, properties: [(key: String, value: Value)]) {
        var tags = ProtobufWriter()
        for property in properties {
            tags.appendVarint(UInt64(number(of: property.key)))
            tags.appendVarint(UInt64(number(of: property.value)))
        }
        var geometry = ProtobufWriter()
        geometry.appendVarint(Geometry.moveToOne)
        for offset in [x, y] { geometry.appendVarint(UInt64(ProtobufWriter.zigzag(Int32(clamping: offset)))) }
        var feature = ProtobufWriter()
        if let id { feature.append(id, field: Field.featureID) }
        feature.append(tags, field: Field.tags)
        feature.append(Geometry.point, field: Field.geometryType)
        feature.append(geometry, field: Field.geometry)
        features.append(feature, field: Field.features)
        count += 1
    }

    /// The encoded tile; empty if there are no points.
    public var bytes: [UInt8] {
        guard count > 0 else { return [] }
        var layer = ProtobufWriter()
        layer.append(name, field: Field.name)
        layer.append(contentsOf: features)
        for key in keys { layer.append(key, field: Field.keys) }
        for value in values { layer.append(VectorTile.message(value), field: Field.values) }
        layer.append(UInt64(VectorTile.extent), field: Field.extent)
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
        /// The type POINT.
        static let point: UInt64 = 1
        /// The command MoveTo with a count of one.
        static let moveToOne: UInt64 = 1 << 3 | 1
    }
}
