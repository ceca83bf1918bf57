import Geometry

/// A geometry in well-known text (OGC 06-103r4, with PostGIS's `SRID=…;`), reduced to one point as a GeoJSON geometry
/// is.
public struct WellKnownText: Hashable, Sendable {
    /// A point on the geometry, or `nil` if it is empty; of a collection as of one in GeoJSON.
    public let position: GeoJSONFeature.Position?
    /// The type as GeoJSON writes it, such as `Polygon`.
    public let type: String
    /// The whole geometry as GeoJSON, heights left in; `nil` if it is empty.
    public let geometry: JSONValue?
    /// The type if the geometry is empty, else `nil`.
    public var emptyType: String? { position == nil ? type : nil }
    /// The number before the geometry, an EPSG code, or `nil`.
    public let srid: Int?

    /// The types, in the order of looking for them: the longer names first.
    private static let types: [(name: String, type: String, depth: Int)] = [
        ("MULTIPOLYGON", "MultiPolygon", 3), ("MULTILINESTRING", "MultiLineString", 2), ("MULTIPOINT", "MultiPoint", 1),
        ("LINESTRING", "LineString", 1), ("POLYGON", "Polygon", 2), ("POINT", "Point", 0),
        ("GEOMETRYCOLLECTION", "GeometryCollection", -1),
    ]
    /// The maximum nesting of collections.
    private static let nesting = 8

    /// Parses a text; `nil` if it is not a geometry of these types, or is damaged.
    ///
    /// - Complexity: O(bytes).
    public init?(_ text: String) {
        var rest = Array(text.utf8)[...]
        WellKnownText.skipBlanks(&rest)
        var srid: Int?
        if WellKnownText.skip("SRID=", &rest) {
            let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            guard let number = Int(String(decoding: digits, as: UTF8.self)) else { return nil }
            srid = number
            rest = rest.dropFirst(digits.count)
            guard WellKnownText.skip(";", &rest) else { return nil }
            WellKnownText.skipBlanks(&rest)
        }
        guard let (type, geometry) = WellKnownText.geometry(&rest, depth: 0) else { return nil }
        (self.srid, self.type) = (srid, type)
        position = geometry.flatMap { try? GeoJSONGeometry.position(of: $0) }
        // A collection of empty geometries is empty.
        guard position != nil || geometry == nil || type == "GeometryCollection" else { return nil }
        self.geometry = position == nil ? nil : geometry
        WellKnownText.skipBlanks(&rest)
        guard rest.isEmpty else { return nil }
    }

    /// Parses a geometry with its type; its value is `nil` if it is empty.
    private static func geometry(_ rest: inout ArraySlice<UInt8>, depth: Int) -> (type: String, value: JSONValue?)? {
        guard depth < nesting, let known = types.first(where: { skip($0.name, &rest) }) else { return nil }
        skipBlanks(&rest)
        for letter in ["Z", "M"] where skip(letter, &rest) { skipBlanks(&rest) }
        if skip("EMPTY", &rest) { return (known.type, nil) }
        if known.depth < 0 {
            guard let parts = parts(&rest, depth: depth) else { return nil }
            return (known.type, .object(["type": .string(known.type), "geometries": .array(parts)]))
        }
        guard let coordinates = list(&rest, depth: known.depth) else { return nil }
        let members: [String: JSONValue] = [
            "type": .string(known.type),
            "coordinates": known.depth == 0 ? coordinates[0] ?? .array([]) : coordinates,
        ]
        return (known.type, .object(members))
    }

    /// Parses the geometries of a collection, without empty ones.
    private static func parts(_ rest: inout ArraySlice<UInt8>, depth: Int) -> [JSONValue]? {
        guard skip("(", &rest) else { return nil }
        var parts: [JSONValue] = []
        repeat {
            skipBlanks(&rest)
            guard let part = geometry(&rest, depth: depth + 1) else { return nil }
            if let value = part.value { parts.append(value) }
            skipBlanks(&rest)
        } while skip(",", &rest)
        return skip(")", &rest) ? parts : nil
    }

    /// Parses a list in parentheses: of positions at depth 0 and 1, of lists below.
    private static func list(_ rest: inout ArraySlice<UInt8>, depth: Int) -> JSONValue? {
        guard skip("(", &rest) else { return nil }
        var elements: [JSONValue] = []
        repeat {
            skipBlanks(&rest)
            // MULTIPOINT is written with and without parentheses around each point.
            if depth > 1 {
                guard let element = list(&rest, depth: depth - 1) else { return nil }
                elements.append(element)
            } else if depth == 1, skip("(", &rest) {
                guard let element = position(&rest), skip(")", &rest) else { return nil }
                elements.append(element)
            } else {
                guard let element = position(&rest) else { return nil }
                elements.append(element)
            }
            skipBlanks(&rest)
        } while skip(",", &rest)
        return skip(")", &rest) ? .array(elements) : nil
    }

    private static func position(_ rest: inout ArraySlice<UInt8>) -> JSONValue? {
        var numbers: [JSONValue] = []
        while numbers.count < 5 {
            skipBlanks(&rest)
            let digits = rest.prefix { $0 > 0x20 && $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: ")") }
            if digits.isEmpty { break }
            guard let number = DecimalText.number(String(decoding: digits, as: UTF8.self)) else { return nil }
            numbers.append(.number(number))
            rest = rest.dropFirst(digits.count)
        }
        return (2...4).contains(numbers.count) ? .array(numbers) : nil
    }

    private static func skipBlanks(_ rest: inout ArraySlice<UInt8>) {
        rest = rest.drop { $0 <= 0x20 }
    }

    /// Skips a word in any case, if it is next.
    private static func skip(_ word: String, _ rest: inout ArraySlice<UInt8>) -> Bool {
        let count = word.utf8.count
        guard rest.count >= count else { return false }
        let isNext = zip(rest, word.utf8)
            .allSatisfy { byte, letter in
                byte == letter || ((UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) && byte & 0xDF == letter)
            }
        if isNext { rest = rest.dropFirst(count) }
        return isNext
    }
}

extension GeoJSONFeature.Position {
    /// Returns a point on a GeoJSON geometry; `nil` if it is empty, or anything else.
    public init?(of geometry: JSONValue) {
        guard let position = try? GeoJSONGeometry.position(of: geometry) else { return nil }
        self = position
    }
}

extension GeoJSONFeature {
    /// Returns the type of a GeoJSON geometry without positions; `nil` if it has some, or is damaged.
    public static func emptyType(of geometry: JSONValue) -> String? {
        do throws(GeometryError) {
            return try GeoJSONGeometry.position(of: geometry) == nil ? geometry["type"]?.string : nil
        } catch {
            return nil
        }
    }
}

extension JSONValue {
    /// Parses a GeoJSON geometry in one text, as databases export it; `nil` if it is no object.
    public init?(geometry text: String) {
        let bytes = Array(text.utf8)
        guard let json = try? JSONValue(parsing: bytes, limits: .init(bytes: bytes.count)), json.object != nil else {
            return nil
        }
        self = json
    }
}
