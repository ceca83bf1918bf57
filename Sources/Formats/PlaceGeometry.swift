public import Geometry
public import Stories

/// The geometry of a story's further place as GeoJSON: a Point, a LineString, a Polygon, or several of one of them.
public enum PlaceGeometry: Sendable {
    /// The reason a geometry cannot be taken, without a full stop; it begins with a verb, as the problem of a field does.
    public struct Invalid: Error, Equatable, Sendable {
        /// The reason.
        public let reason: String
    }

    /// Returns the point of a geometry and, for a line or an area, its shape.
    ///
    /// - Throws: ``Invalid`` for anything else; see ``PlaceShape``.
    /// - Complexity: O(corners).
    public static func read(_ geometry: JSONValue) throws(Invalid) -> (point: Coordinate, shape: PlaceShape?) {
        let coordinates = geometry["coordinates"]
        let shape: PlaceShape
        do {
            switch geometry["type"]?.string {
            case "Point":
                let corner = try corner(coordinates)
                guard let point = Coordinate(latitude: corner.latitude, longitude: corner.longitude) else {
                    throw Invalid(reason: PlaceShape.outOfRange(corner))
                }
                return (point, nil)
            case "LineString": shape = try PlaceShape(line: line(coordinates))
            case "Polygon": shape = try PlaceShape(polygon: lines(coordinates))
            case "MultiPoint": shape = try PlaceShape(multiPoint: line(coordinates))
            case "MultiLineString": shape = try PlaceShape(multiLine: lines(coordinates))
            case "MultiPolygon":
                var areas: [[[PlaceShape.Corner]]] = []
                for area in try list(coordinates) { areas.append(try lines(area)) }
                shape = try PlaceShape(multiPolygon: areas)
            default:
                let types = "Point, LineString, Polygon, MultiPoint, MultiLineString or MultiPolygon"
                throw Invalid(reason: "must be a GeoJSON \(types)")
            }
        } catch let error as Invalid {
            throw error
        } catch let error as PlaceShape.Invalid {
            throw Invalid(reason: error.description)
        } catch {
            throw Invalid(reason: "cannot be read")
        }
        return (shape.anchor, shape)
    }

    /// Reads the geometry of a place that somebody gives now, which is also checked for what older ones may have.
    ///
    /// A third number of a position, the height, is not kept. Lines that step over more than 180 degrees of longitude are
    /// kept as they go the short way; see ``unwrapped(_:)``.
    ///
    /// - Throws: ``Invalid`` like ``read(_:)``, for positions of more than three numbers, and for rings that enclose
    ///   nothing, or cross or touch themselves.
    /// - Complexity: see ``PlaceShape/checkRings()``.
    public static func readGiven(_ geometry: JSONValue) throws(Invalid) -> (point: Coordinate, shape: PlaceShape?) {
        let (point, shape) = try read(unwrapped(geometry) ?? geometry)
        if let path = longPosition(in: geometry["coordinates"] ?? .null, at: "coordinates", depth: 4) {
            throw Invalid(reason: "has a position of more than three numbers at \(path); give longitude and latitude")
        }
        do throws(PlaceShape.Invalid) {
            try shape?.checkRings()
        } catch {
            throw Invalid(reason: error.description)
        }
        return (point, shape)
    }

    /// Returns the geometry if it is more than one point: a line, an area, several geometries; `nil` for a point.
    ///
    /// A collection counts as the only geometry in it: Linked Places put one there to say when it held. So do several
    /// points that are only one, as many programs write every layer of points.
    public static func drawn(_ geometry: JSONValue) -> JSONValue? {
        switch geometry["type"]?.string {
        case "Point": return nil
        case "MultiPoint" where geometry["coordinates"]?.array?.count == 1: return nil
        case "GeometryCollection":
            guard let parts = geometry["geometries"]?.array, parts.count == 1 else { return geometry }
            return drawn(parts[0])
        default: return geometry
        }
    }

    /// Reads the geometry of a file in any reference system like ``readGiven(_:)``, after each of its positions was
    /// converted by `convert`; that returns `nil` outside of the area of the system.
    ///
    /// - Throws: ``Invalid``, before anything is converted if there are too many positions.
    public static func readGiven(
        _ geometry: JSONValue,
        converting convert: (_ x: Double, _ y: Double) -> Coordinate?
    ) throws(Invalid) -> (point: Coordinate, shape: PlaceShape?) {
        guard var members = geometry.object, let coordinates = members["coordinates"] else {
            return try readGiven(geometry)
        }
        guard count(coordinates, upTo: StoryLimits.shapeCorners) <= StoryLimits.shapeCorners else {
            throw Invalid(reason: "must have at most \(StoryLimits.shapeCorners) positions; simplify it")
        }
        members["coordinates"] = try converted(coordinates, by: convert)
        return try readGiven(.object(members))
    }

    /// Returns the number of positions, or any number above `limit` if there are more.
    private static func count(_ value: JSONValue, upTo limit: Int) -> Int {
        guard let elements = value.array, elements.first?.array != nil else { return 1 }
        var count = 0
        for element in elements {
            count += PlaceGeometry.count(element, upTo: limit - count)
            if count > limit { break }
        }
        return count
    }

    private static func converted(
        _ value: JSONValue,
        by convert: (_ x: Double, _ y: Double) -> Coordinate?
    ) throws(Invalid) -> JSONValue {
        guard let elements = value.array else { return value }
        guard elements.count >= 2, let x = elements[0].number, let y = elements[1].number else {
            var all: [JSONValue] = []
            for element in elements { all.append(try converted(element, by: convert)) }
            return .array(all)
        }
        guard x.isFinite, y.isFinite, let position = convert(x, y) else {
            throw Invalid(reason: "has a position outside the area of its reference system")
        }
        return .array([.number(position.longitude), .number(position.latitude)] + elements.dropFirst(2))
    }

    /// Returns the path of a position of more than three numbers, if there is one.
    private static func longPosition(in value: JSONValue, at path: String, depth: Int) -> String? {
        guard depth > 0, let elements = value.array else { return nil }
        guard elements.first?.array != nil else { return elements.count > 3 ? path : nil }
        for (index, element) in elements.enumerated() {
            if let found = longPosition(in: element, at: "\(path)[\(index)]", depth: depth - 1) { return found }
        }
        return nil
    }

    private static func list(_ value: JSONValue?) throws(Invalid) -> [JSONValue] {
        guard let elements = value?.array else { throw Invalid(reason: "must have coordinates as GeoJSON does") }
        // Checked before anything is made of them.
        guard elements.count <= StoryLimits.shapeCorners else {
            throw Invalid(reason: "must have at most \(StoryLimits.shapeCorners) positions; simplify it")
        }
        return elements
    }

    private static func line(_ value: JSONValue?) throws(Invalid) -> [PlaceShape.Corner] {
        var corners: [PlaceShape.Corner] = []
        for element in try list(value) { corners.append(try corner(element)) }
        return corners
    }

    private static func lines(_ value: JSONValue?) throws(Invalid) -> [[PlaceShape.Corner]] {
        var all: [[PlaceShape.Corner]] = []
        for element in try list(value) { all.append(try line(element)) }
        return all
    }

    private static func corner(_ value: JSONValue?) throws(Invalid) -> PlaceShape.Corner {
        guard let x = value?[0]?.number, let y = value?[1]?.number, x.isFinite, y.isFinite else {
            throw Invalid(reason: "must have positions of two numbers, longitude and latitude")
        }
        return PlaceShape.Corner(longitude: x == 0 ? 0 : x, latitude: y == 0 ? 0 : y)
    }

    /// Writes the geometry of a place.
    public static func write(_ place: StoryPlace, to json: inout JSONWriter) {
        json.beginObject()
        json.member("type", place.shape?.type ?? "Point")
        json.key("coordinates")
        switch place.shape {
        case nil: json.coordinates(place.location.coordinate)
        case .line(let corners), .multiPoint(let corners): write(corners, to: &json)
        case .polygon(let lines), .multiLine(let lines): write(lines, to: &json)
        case .multiPolygon(let areas):
            json.beginArray()
            for rings in areas { write(rings, to: &json) }
            json.endArray()
        }
        json.endObject()
    }

    private static func write(_ lines: [[PlaceShape.Corner]], to json: inout JSONWriter) {
        json.beginArray()
        for line in lines { write(line, to: &json) }
        json.endArray()
    }

    private static func write(_ line: [PlaceShape.Corner], to json: inout JSONWriter) {
        json.beginArray()
        for corner in line { json.position(corner.longitude, corner.latitude) }
        json.endArray()
    }
}
