import CProj
public import Geometry

/// The reason a reference system cannot be used.
public struct ProjectionError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The error and how to fix it, without a full stop.
    public let description: String
}

/// A conversion between a reference system and WGS 84, using PROJ.
///
/// Never uses the network: if a grid is not installed, PROJ uses the best conversion without it. A class because PROJ
/// keeps state; every instance has its own context and is not for concurrent use.
public final class Projection {
    /// The reference system as requested.
    public let name: String
    /// PROJ's name for the reference system, such as `NAD83 / UTM zone 18N`.
    public let title: String
    private let context: OpaquePointer
    private let operation: OpaquePointer

    /// Creates a conversion from a reference system: `EPSG:26918`, an OGC URN, WKT or a PROJ string.
    ///
    /// - Throws: ``ProjectionError`` if PROJ does not know it or cannot convert it to WGS 84.
    public init(from name: String) throws(ProjectionError) {
        let shown = String(name.prefix(80))
        guard !name.isEmpty, !name.utf8.contains(0), name.utf8.count <= 10_000 else {
            throw ProjectionError(description: "\(shown) is not the name of a reference system, such as EPSG:26918")
        }
        guard let context = proj_context_create() else {
            throw ProjectionError(description: "PROJ could not be started: not enough memory")
        }
        proj_log_level(context, PJ_LOG_NONE)
        proj_context_set_enable_network(context, 0)
        do throws(ProjectionError) {
            title = try Projection.title(of: name, shown: shown, context)
            operation = try Projection.operation(from: name, shown: shown, context)
        } catch {
            proj_context_destroy(context)
            throw error
        }
        self.name = name
        self.context = context
    }

    deinit {
        proj_destroy(operation)
        proj_context_destroy(context)
    }

    /// Checks that the name refers to a reference system rather than another PROJ object, such as an ellipsoid; returns
    /// its title.
    private static func title(
        of name: String,
        shown: String,
        _ context: OpaquePointer
    ) throws(ProjectionError) -> String {
        guard isDefinition(name) else {
            throw ProjectionError(
                description:
                    "\(shown) does not name a reference system: give AUTHORITY:CODE such as EPSG:26918, an OGC URN, "
                    + "WKT, PROJJSON or a PROJ string that begins with +proj="
            )
        }
        guard let system = create(name, context) else {
            if proj_context_get_database_path(context) == nil {
                let reason = "PROJ's database proj.db was not found; install the package proj-data or set PROJ_DATA"
                throw ProjectionError(description: reason)
            }
            throw ProjectionError(
                description: "\(shown) is not a reference system PROJ knows; give one like EPSG:26918"
            )
        }
        defer { proj_destroy(system) }
        guard proj_is_crs(system) != 0 else {
            throw ProjectionError(
                description: "\(shown) is not a coordinate reference system; give one like EPSG:26918"
            )
        }
        try requirePositions(proj_get_type(system), shown)
        return proj_get_name(system).map { String(cString: $0) } ?? name
    }

    /// Checks that a system of a type gives places by two coordinates.
    private static func requirePositions(_ type: PJ_TYPE, _ shown: String) throws(ProjectionError) {
        switch type {
        // Two of the three distances from the centre of the Earth do not give a place.
        case PJ_TYPE_GEOCENTRIC_CRS:
            throw ProjectionError(
                description: "\(shown) needs three coordinates for each place; give a system with two, like EPSG:26918"
            )
        case PJ_TYPE_VERTICAL_CRS, PJ_TYPE_TEMPORAL_CRS, PJ_TYPE_ENGINEERING_CRS:
            throw ProjectionError(
                description: "\(shown) is not for positions on the Earth; give a system that is, like EPSG:26918"
            )
        default: return
        }
    }

    /// Returns whether a text is a definition of a reference system.
    ///
    /// Any other text must be rejected, because PROJ would search for it by name and use the closest match.
    private static func isDefinition(_ text: String) -> Bool {
        let text = text.drop { $0.isWhitespace }
        let lower = text.lowercased()
        let starts = [
            "urn:ogc:def:", "http://www.opengis.net/def/crs", "https://www.opengis.net/def/crs", "+", "proj=",
        ]
        if starts.contains(where: lower.hasPrefix) || text.first == "{" { return true }
        let keyword = text.prefix { $0.isASCII && ($0.isLetter || $0 == "_") }
        if keyword.count >= 4, let bracket = text.dropFirst(keyword.count).first {
            if "[(".contains(bracket) { return true }
        }
        return code(text) != nil
    }

    /// Returns the authority and the code in a text such as `EPSG:26918`; the code of a compound system contains a `+`.
    private static func code(_ text: some StringProtocol) -> (authority: String, code: String)? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        func isWord(_ part: some StringProtocol, with more: String) -> Bool {
            !part.isEmpty && part.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) || more.contains($0) }
        }
        guard parts.count == 2, isWord(parts[0], with: "_-"), isWord(parts[1], with: "_-.+") else { return nil }
        return (String(parts[0]), String(parts[1]))
    }

    /// Creates the PROJ object for a definition; an authority and code are only looked up in PROJ's database.
    private static func create(_ name: String, _ context: OpaquePointer) -> OpaquePointer? {
        guard let (authority, code) = code(name), !code.contains("+") else { return proj_create(context, name) }
        for authority in [authority, authority.uppercased()] {
            if let known = proj_create_from_database(context, authority, code, PJ_CATEGORY_CRS, 0, nil) { return known }
        }
        // Also finds an ellipsoid, so that the error can state that it is not a reference system.
        return proj_create_from_database(context, authority.uppercased(), code, PJ_CATEGORY_ELLIPSOID, 0, nil)
    }

    private static func operation(
        from name: String,
        shown: String,
        _ context: OpaquePointer
    ) throws(ProjectionError) -> OpaquePointer {
        guard let plain = proj_create_crs_to_crs(context, name, "EPSG:4326", nil) else {
            throw ProjectionError(
                description: "PROJ cannot convert \(shown) to longitude and latitude on WGS 84; give a system with "
                    + "positions, like EPSG:26918"
            )
        }
        defer { proj_destroy(plain) }
        // Normalizes the order of the axes: x becomes easting or longitude, y northing or latitude, whatever the order
        // in the reference system itself.
        guard let normalized = proj_normalize_for_visualization(context, plain) else {
            throw ProjectionError(description: "the axes of \(shown) cannot be put in the order east, north")
        }
        return normalized
    }
}

@available(*, unavailable)
extension Projection: Sendable {}

extension Projection {
    /// The system as GIS programs store it.
    public struct Definition: Hashable, Sendable {
        /// Who defined it, such as `EPSG`, and its code there.
        public let authority: String
        /// The code.
        public let code: Int
        /// The definition in well-known text of the first version, which all programs read.
        public let text: String
    }

    /// The definition, or `nil` if the system has no numbered code.
    public var definition: Definition? {
        withSystem { system in
            guard let authority = proj_get_id_auth_name(system, 0), let code = proj_get_id_code(system, 0),
                let number = Int(String(cString: code)),
                let text = text(of: system)
            else { return nil }
            return Definition(authority: String(cString: authority), code: number, text: text)
        }
    }

    /// Returns the definition.
    ///
    /// - Throws: ``ProjectionError`` if the system has no numbered code.
    public func requireDefinition() throws(ProjectionError) -> Definition {
        if let definition { return definition }
        throw ProjectionError(
            description:
                "\(name.prefix(80)) has no number, or three axes, which older well-known text (WKT 1) cannot express; give a "
                + "system with a number and two axes, like EPSG:26918"
        )
    }

    /// Whether positions are longitude and latitude.
    public var isGeographic: Bool {
        withSystem { system in
            let kind = proj_get_type(system)
            return kind == PJ_TYPE_GEOGRAPHIC_2D_CRS || kind == PJ_TYPE_GEOGRAPHIC_3D_CRS ? true : nil
        } ?? false
    }

    /// The area in which the system is meant to be used; `nil` if its definition names none.
    public var areaOfUse: BoundingBox? {
        withSystem { system in
            // PROJ sets an unknown edge to -1000, for which there is no box.
            var (west, south, east, north) = (-1_000.0, -1_000.0, -1_000.0, -1_000.0)
            guard proj_get_area_of_use(context, system, &west, &south, &east, &north, nil) != 0 else { return nil }
            return BoundingBox(west: west, south: south, east: east, north: north)
        }
    }

    private func withSystem<Value>(_ body: (OpaquePointer) -> Value?) -> Value? {
        guard let system = Projection.create(name, context) else { return nil }
        defer { proj_destroy(system) }
        return body(system)
    }

    /// Returns the definition on one line.
    private func text(of system: OpaquePointer) -> String? {
        "MULTILINE=NO"
            .withCString { option in
                var options: [UnsafePointer<CChar>?] = [option, nil]
                return proj_as_wkt(context, system, PJ_WKT1_GDAL, &options).map { String(cString: $0) }
            }
    }
}

extension Projection {
    /// Returns the coordinate of a point, or `nil` if the conversion is undefined there.
    ///
    /// `x` is the easting or the longitude, `y` the northing or the latitude, in the units of the reference system.
    public func coordinate(x: Double, y: Double) -> Coordinate? {
        coordinates(x: [x], y: [y]).first ?? nil
    }

    /// Returns the coordinates of many points, `nil` where the conversion is undefined; extra elements of the longer
    /// list are ignored.
    public func coordinates(x: [Double], y: [Double]) -> [Coordinate?] {
        let (longitudes, latitudes) = transform(PJ_FWD, x, y)
        return zip(longitudes, latitudes).map { Coordinate(latitude: $0.1, longitude: $0.0) }
    }

    /// Returns the point of a coordinate in this reference system, or `nil` if it is undefined.
    public func point(of coordinate: Coordinate) -> (x: Double, y: Double)? {
        let (x, y) = transform(PJ_INV, [coordinate.longitude], [coordinate.latitude])
        guard let x = x.first, let y = y.first, x.isFinite, y.isFinite else { return nil }
        return (x, y)
    }

    private func transform(_ direction: PJ_DIRECTION, _ x: [Double], _ y: [Double]) -> ([Double], [Double]) {
        let count = min(x.count, y.count)
        var first = Array(x.prefix(count))
        var second = Array(y.prefix(count))
        let stride = MemoryLayout<Double>.stride
        first.withUnsafeMutableBufferPointer { first in
            second.withUnsafeMutableBufferPointer { second in
                _ = proj_trans_generic(
                    operation,
                    direction,
                    first.baseAddress,
                    stride,
                    count,
                    second.baseAddress,
                    stride,
                    count,
                    nil,
                    0,
                    0,
                    nil,
                    0,
                    0
                )
            }
        }
        // Failed points are returned as infinity; the error state must be reset for the next call.
        proj_errno_reset(operation)
        return (first, second)
    }
}
