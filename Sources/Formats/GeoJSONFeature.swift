/// One feature of a GeoJSON file (RFC 7946), its geometry reduced to one point.
public struct GeoJSONFeature: Hashable, Sendable {
    /// A position in the file's reference system.
    public struct Position: Hashable, Sendable {
        /// The easting, or the longitude.
        public let x: Double
        /// The northing, or the latitude.
        public let y: Double

        /// Creates a position.
        public init(x: Double, y: Double) {
            self.x = x
            self.y = y
        }
    }

    /// The number of the feature in the file, starting at one.
    public let number: Int
    /// Its identifier as text, or `nil`.
    public let id: String?
    /// Whether the identifier is a number beyond 2^53 that is not written with all its digits, as `1e20`.
    public let hasInexactID: Bool
    /// A point on its geometry, or `nil` if it has none.
    public let position: Position?
    /// The type of its geometry, or `nil` if it has none.
    public let geometryType: String?
    /// Its geometry as in the file, or `nil` if it has none.
    public let geometry: JSONValue?
    /// Its properties.
    public let properties: [String: JSONValue]
    /// The foreign members of the feature: those that GeoJSON does not define (RFC 7946, section 6.1).
    public let foreign: [String: JSONValue]
    /// The reason the feature could not be read, or `nil`; the other fields then contain the readable parts.
    public let problem: String?
    /// Properties as they identify the feature, where they are read otherwise; `null` for one that does not.
    package var identity: [String: JSONValue] = [:]
    /// The pictures and recordings of its description, which other formats have as properties.
    package var links: [WebLink] = []
    /// Texts that belong behind its description, such as a summary.
    package var paragraphs: [String] = []

    /// The geometry if it is more than the point ``position``, which then represents it; see ``PlaceGeometry/drawn(_:)``.
    public var drawn: JSONValue? { position == nil ? nil : geometry.flatMap(PlaceGeometry.drawn) }
}

extension GeoJSONFeature {
    /// Parses a feature from its JSON.
    init(number: Int, json: JSONValue) {
        var position: Position?
        var geometryType: String?
        var problem: String?
        if json["type"]?.string != "Feature" {
            problem = "not a GeoJSON feature: its type is not Feature"
        } else if let geometry = json["geometry"], !geometry.isNull {
            geometryType = geometry["type"]?.string
            do throws(GeometryError) {
                position = try GeoJSONGeometry.position(of: geometry)
            } catch {
                problem = error.reason
            }
        }
        self.init(
            number: number,
            id: json["id"].flatMap(\.plainText),
            hasInexactID: json["id"]?.isInexact ?? false,
            position: position,
            geometryType: geometryType,
            geometry: json["geometry"].flatMap { $0.isNull ? nil : $0 },
            properties: json["properties"]?.object ?? [:],
            foreign: (json.object ?? [:]).filter { !GeoJSONFeature.known.contains($0.key) },
            problem: problem
        )
    }

    private static let known: Set<String> = ["type", "id", "geometry", "properties", "bbox"]

    /// Creates a feature for a record that is not JSON.
    init(number: Int, problem: String) {
        self.init(
            number: number,
            id: nil,
            hasInexactID: false,
            position: nil,
            geometryType: nil,
            geometry: nil,
            properties: [:],
            foreign: [:],
            problem: problem
        )
    }
}

extension JSONValue {
    /// Whether it is a number beyond 2^53 of which only the first digits are known.
    package var isInexact: Bool {
        if case .number(let number) = self { abs(number) > 0x1p53 } else { false }
    }

    /// A string, number or Boolean as text, integers without a fraction; `nil` for anything else.
    public var plainText: String? {
        switch self {
        case .string(let text): return text
        case .bool(let flag): return flag ? "true" : "false"
        case .number(let number):
            // Beyond 2^53, a double cannot represent every integer, so its digits would be misleading.
            guard abs(number) <= 0x1p53, let whole = Int64(exactly: number) else { return number.description }
            return String(whole)
        case .digits(let digits): return digits
        case .null, .array, .object: return nil
        }
    }
}
