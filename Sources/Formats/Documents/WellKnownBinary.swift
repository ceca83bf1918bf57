/// Well-known binary of a geometry (OGC 06-103r4, ISO 13249-3, and PostGIS's variant) as GeoJSON.
public enum WellKnownBinary: Sendable {
    /// The reason a geometry cannot be read.
    public struct Failure: Error, Equatable, Sendable {
        /// One sentence without a full stop.
        public let reason: String
    }

    /// The maximum number of positions in one geometry.
    private static let mostPositions = 1_000_000
    private static let depth = 8

    /// Writes a geometry as GeoJSON, heights and measures left out; an empty point has no coordinates.
    ///
    /// - Throws: ``Failure`` for damaged bytes, and for curves and other types that GeoJSON does not have.
    /// - Complexity: O(bytes).
    public static func write(_ bytes: ArraySlice<UInt8>, to json: inout JSONWriter) throws(Failure) {
        var reader = Reader(bytes: bytes)
        var geometry = JSONWriter(capacity: 128)
        guard try write(&reader, depth: 0, to: &geometry) else { return json.emptyGeometry("Point") }
        json.raw(geometry.bytes)
    }

    private struct Reader {
        var bytes: ArraySlice<UInt8>
        var isLittle = true
        var positions = 0

        mutating func byte() throws(Failure) -> UInt8 {
            guard let byte = bytes.popFirst() else { throw Failure(reason: "the geometry is damaged") }
            return byte
        }

        mutating func number(_ length: Int) throws(Failure) -> UInt64 {
            guard bytes.count >= length else { throw Failure(reason: "the geometry is damaged") }
            let part = bytes.prefix(length)
            bytes = bytes.dropFirst(length)
            return isLittle
                ? part.reversed().reduce(0) { $0 << 8 | UInt64($1) } : part.reduce(0) { $0 << 8 | UInt64($1) }
        }

        mutating func double() throws(Failure) -> Double { Double(bitPattern: try number(8)) }

        /// Reads a number of parts that take at least `least` bytes each.
        mutating func count(least: Int) throws(Failure) -> Int {
            let count = Int(try number(4))
            guard count <= bytes.count / least else { throw Failure(reason: "the geometry is damaged") }
            return count
        }
    }

    /// The types by their number, with the nesting of their coordinates.
    private static let types: [(name: String, depth: Int)] = [
        ("", 0), ("Point", 0), ("LineString", 1), ("Polygon", 2), ("MultiPoint", 1), ("MultiLineString", 2),
        ("MultiPolygon", 3), ("GeometryCollection", 0),
    ]

    /// Reads the byte order, the type and the number of values of a position.
    private static func head(_ reader: inout Reader) throws(Failure) -> (type: Int, values: Int) {
        reader.isLittle = try reader.byte() == 1
        var code = try reader.number(4)
        var values = 2
        if code & 0x8000_0000 != 0 { values += 1 }
        if code & 0x4000_0000 != 0 { values += 1 }
        if code & 0x2000_0000 != 0 { _ = try reader.number(4) }
        code &= 0x0FFF_FFFF
        switch code / 1000 {
        case 0: break
        case 1, 2: values += 1
        case 3: values += 2
        default: throw Failure(reason: "the geometry is damaged")
        }
        let type = Int(code % 1000)
        guard (1...7).contains(type) else {
            throw Failure(
                reason: "the geometry is a curve, a surface or of an unknown type; convert it to lines or areas"
            )
        }
        return (type, values)
    }

    /// Writes a geometry; returns whether it is not an empty point.
    private static func write(_ reader: inout Reader, depth: Int, to json: inout JSONWriter) throws(Failure) -> Bool {
        guard depth < WellKnownBinary.depth else { throw Failure(reason: "the geometry is nested too deeply") }
        let (type, values) = try head(&reader)
        json.beginObject()
        json.member("type", types[type].name)
        var isFilled = true
        if type == 7 {
            json.key("geometries")
            json.beginArray()
            for _ in 0..<(try reader.count(least: 5)) { _ = try write(&reader, depth: depth + 1, to: &json) }
            json.endArray()
        } else {
            json.key("coordinates")
            isFilled = try writeCoordinates(&reader, type, values, to: &json)
        }
        json.endObject()
        return isFilled
    }

    private static func writeCoordinates(
        _ reader: inout Reader,
        _ type: Int,
        _ values: Int,
        to json: inout JSONWriter
    ) throws(Failure) -> Bool {
        switch type {
        case 1: return try writePosition(&reader, values, to: &json)
        case 2: try writeLine(&reader, values, to: &json)
        case 3:
            json.beginArray()
            for _ in 0..<(try reader.count(least: 4)) { try writeLine(&reader, values, to: &json) }
            json.endArray()
        default:
            json.beginArray()
            for _ in 0..<(try reader.count(least: 5)) {
                let (part, values) = try head(&reader)
                guard part == type - 3 else { throw Failure(reason: "the geometry is damaged") }
                _ = try writeCoordinates(&reader, part, values, to: &json)
            }
            json.endArray()
        }
        return true
    }

    private static func writeLine(_ reader: inout Reader, _ values: Int, to json: inout JSONWriter) throws(Failure) {
        json.beginArray()
        for _ in 0..<(try reader.count(least: 8 * values)) { _ = try writePosition(&reader, values, to: &json) }
        json.endArray()
    }

    private static func writePosition(
        _ reader: inout Reader,
        _ values: Int,
        to json: inout JSONWriter
    ) throws(Failure) -> Bool {
        reader.positions += 1
        guard reader.positions <= mostPositions else {
            throw Failure(reason: "the geometry has more than \(mostPositions) positions; simplify it")
        }
        let (x, y) = (try reader.double(), try reader.double())
        for _ in 2..<values { _ = try reader.double() }
        json.position(x, y)
        return x.isFinite && y.isFinite
    }
}

extension JSONWriter {
    /// Writes a geometry of a type that has no positions, which readers tell from no geometry at all.
    mutating func emptyGeometry(_ type: String) {
        beginObject()
        member("type", type)
        key("coordinates")
        beginArray()
        endArray()
        endObject()
    }
}
