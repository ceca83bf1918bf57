import Formats
import Geometry
import Queries
import Storage
import Stories

extension ExportedPlace {
    /// The corners of its geometry, in the order in which ``shape(at:)`` asks for them.
    fileprivate var corners: [PlaceShape.Corner] {
        if let shape = place.shape { return Array(shape.lines.joined()) }
        let point = place.location.coordinate
        return [PlaceShape.Corner(longitude: point.longitude, latitude: point.latitude)]
    }

    /// The number of its corners.
    var cornerCount: Int { place.shape?.cornerCount ?? 1 }

    /// Its geometry in degrees, for conditions.
    var geometry: QueryGeometry {
        shape { corner, _ in SIMD2<Double>(corner.longitude, corner.latitude) }.map { QueryGeometry($0) }
            ?? QueryGeometry()
    }
}

extension QueryGeometry {
    /// Creates the geometry of a shape, with its positions as they are.
    init(_ shape: GeoPackageShape) {
        switch shape {
        case .point(let point): self.init(lines: [[point]])
        case .line(let line): self.init(lines: [line])
        case .multiPoint(let points): self.init(lines: points.map { [$0] })
        case .multiLine(let lines): self.init(lines: lines)
        case .polygon(let rings): self.init(areas: [rings])
        case .multiPolygon(let areas): self.init(areas: areas)
        }
    }
}

extension ReferenceSystem {
    /// Returns the geometries of places in the order of the axes; `nil` where a position is undefined.
    func shapes(of places: [ExportedPlace], by projection: FeatureProjection) throws -> [GeoPackageShape?] {
        let corners = places.map(\.corners)
        let coordinates = corners.joined()
            .map { corner in
                Coordinate(wrappingLatitude: corner.latitude, longitude: corner.longitude)
            }
        // All at once: every conversion makes an object of its own.
        let positions = try positions(of: coordinates, by: projection)
        var start = 0
        return zip(places, corners)
            .map { place, corners in
                let own = zip(corners, positions[start..<(start + corners.count)])
                start += corners.count
                var next = own.map { corner, position in position.map { turned($0, for: corner) } }.makeIterator()
                return place.shape { _, _ in next.next() ?? nil }
            }
    }

    /// Returns a position; in degrees, beyond the antimeridian longitudes continue past 180, so that no line runs around
    /// the globe.
    private func turned(_ position: QueryPlane.Position, for corner: PlaceShape.Corner) -> SIMD2<Double> {
        let wrapped = Coordinate.wrap(longitude: corner.longitude)
        let turns = isInDegrees ? ((corner.longitude - wrapped) / 360).rounded() * 360 : 0
        return isNorthFirst
            ? SIMD2(position.first, position.second + turns) : SIMD2(position.first + turns, position.second)
    }

    /// Writes a number of a position: in metres with a tenth of a millimetre, in degrees as everywhere.
    func write(_ number: Double, to json: inout JSONWriter) {
        if isInDegrees { json.degrees(number) } else { json.value((number * 10_000).rounded() / 10_000) }
    }

    /// Writes a geometry, or null.
    func write(_ shape: GeoPackageShape?, to json: inout JSONWriter) {
        guard let shape else { return json.null() }
        json.beginObject()
        json.member("type", shape.type)
        json.key("coordinates")
        switch shape {
        case .point(let point): write(point, to: &json)
        case .line(let line), .multiPoint(let line): write(line, to: &json)
        case .polygon(let lines), .multiLine(let lines): write(lines, to: &json)
        case .multiPolygon(let areas):
            json.beginArray()
            for rings in areas { write(rings, to: &json) }
            json.endArray()
        }
        json.endObject()
    }

    private func write(_ position: SIMD2<Double>, to json: inout JSONWriter) {
        json.beginArray()
        write(position.x, to: &json)
        write(position.y, to: &json)
        json.endArray()
    }

    private func write(_ line: [SIMD2<Double>], to json: inout JSONWriter) {
        json.beginArray()
        for position in line { write(position, to: &json) }
        json.endArray()
    }

    private func write(_ lines: [[SIMD2<Double>]], to json: inout JSONWriter) {
        json.beginArray()
        for line in lines { write(line, to: &json) }
        json.endArray()
    }
}

extension GeoPackageShape {
    /// The type as GeoJSON names it.
    fileprivate var type: String {
        switch self {
        case .point: "Point"
        case .line: "LineString"
        case .polygon: "Polygon"
        case .multiPoint: "MultiPoint"
        case .multiLine: "MultiLineString"
        case .multiPolygon: "MultiPolygon"
        }
    }
}
