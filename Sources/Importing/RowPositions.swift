import Formats
import Gazetteer
import Geometry
import Projections
import Stories

/// Finds the coordinate of each row, from whatever columns say it.
struct RowPositions {
    /// The conversion for the whole file; `nil` means longitude and latitude on WGS 84 unless a row says otherwise.
    private let projection: Projection?
    /// Whether the operator gave the reference system, which then counts for every row.
    private let isGiven: Bool
    /// The conversions of rows, by name; `nil` for a name that PROJ does not know.
    private var known: [String: Projection?] = [:]
    /// The numbers of the last row, as it gave them; `nil` if it gave none.
    private(set) var raw: RawPosition?
    /// The line or the area of the last row, as given; `nil` if it has none, or one that no place may have.
    private(set) var shape: PlaceShape?
    /// Where the numbers of the row stand.
    private var form = RawPosition.Form.columns

    /// More reference systems than that in one file are an error: each holds memory.
    private static let most = 200

    init(projection: Projection?, isGiven: Bool) {
        self.projection = projection
        self.isGiven = isGiven
    }

    /// The reference system of one row.
    private enum System {
        case geographic
        case projected(Projection)
    }

    /// Returns the coordinate, or `nil` with an error in the row, or without one if nothing says where it is.
    mutating func coordinate(_ row: inout ImportRow) -> Coordinate? {
        (raw, shape) = (nil, nil)
        form = row.record.hasGeometry ? .geometry : .columns
        let values = row.record.values
        guard !row.record.hasGeometry, values[.latitude] == nil, values[.longitude] == nil else {
            guard let system = system(&row) else { return nil }
            return plain(&row, system)
        }
        if let text = values[.position] { return coordinate(&row, text: text) }
        if values[.easting] != nil || values[.northing] != nil { return grid(&row) }
        // "33.75, -84.39" in the column of a place's name is its position.
        guard let place = values[.place], case .coordinate(let coordinate) = TypedPosition.read(place) else {
            return nil
        }
        return coordinate
    }

    private mutating func plain(_ row: inout ImportRow, _ system: System) -> Coordinate? {
        if case .geographic = system, let read = angles(&row) { return read.coordinate }
        let allowsDecimalComma = if case .geographic = system { true } else { false }
        guard let (x, y) = row.position(allowsDecimalComma: allowsDecimalComma) else { return nil }
        return coordinate(&row, x: x, y: y, drawn: row.record.hasGeometry ? row.record.drawn : nil, system)
    }

    private mutating func coordinate(_ row: inout ImportRow, x: Double, y: Double, _ system: System) -> Coordinate? {
        guard case .projected(let projection) = system else { return geographic(&row, x: x, y: y) }
        raw = RawPosition(x: x, y: y, projection: projection, form: form)
        guard let coordinate = projection.coordinate(x: x, y: y) else {
            row.record.fail(.latitude, "x \(x), y \(y) is outside the area of \(projection.name)")
            return nil
        }
        return coordinate
    }

    private mutating func geographic(_ row: inout ImportRow, x: Double, y: Double) -> Coordinate? {
        raw = RawPosition(x: x, y: y, projection: nil, form: form)
        // If the row specifies the precision or the source, even 0, 0 is taken literally.
        let isMeant = row.record.values[.precision] != nil || row.record.values[.locationSource] != nil
        if x == 0, y == 0, !isMeant {
            row.record.fail(.latitude, "0, 0 is in the open sea and usually means unknown; if so, leave both empty")
            return nil
        }
        if let coordinate = Coordinate(latitude: y, longitude: x) { return coordinate }
        if !(-180...180).contains(x) {
            let advice = abs(x) <= 540 ? "write \(PlaceShape.turned(x))" : "for metres or feet give --crs"
            row.record.fail(.longitude, "\(x) is not between -180 and 180; \(advice)")
        }
        if !(-90...90).contains(y) {
            let isSwapped = abs(x) <= 90 && abs(y) <= 180
            let advice = isSwapped ? "; latitude and longitude seem to be swapped" : ""
            row.record.fail(.latitude, "\(y) is not between -90 and 90\(advice)")
        }
        return nil
    }
}

// Lines and areas.
extension RowPositions {
    /// Returns the coordinate of a geometry, and keeps its line or area if a place over HTTP may have it; otherwise a
    /// point on it is kept, and it is said why.
    private mutating func coordinate(
        _ row: inout ImportRow,
        x: Double,
        y: Double,
        drawn: JSONValue?,
        _ system: System
    ) -> Coordinate? {
        guard let drawn else { return coordinate(&row, x: x, y: y, system) }
        let at = across(&row, drawn, system) ?? (x: x, y: y)
        let (type, field) = (RowPositions.typeName(drawn), row.record.hasGeometry ? nil : ImportField.position)
        let reason: String
        do throws(PlaceGeometry.Invalid) {
            let (point, shape) = try RowPositions.read(drawn, system)
            guard let coordinate = coordinate(&row, of: shape, at: point, x: at.x, y: at.y, system) else { return nil }
            self.shape = shape
            return coordinate
        } catch {
            reason = error.reason
        }
        // What is wrong with the point itself is an error; of a line beyond 180 degrees it stands nowhere in the file.
        if case .geographic = system, (-90...90).contains(at.y), (180.0.nextUp...540).contains(abs(at.x)) {
            row.record.fail(field, "the \(type) has no place on the map: it \(reason)")
            return nil
        }
        guard let coordinate = coordinate(&row, x: at.x, y: at.y, system) else { return nil }
        row.record.warn(field, "only one point of the \(type) is kept: it \(reason)")
        return coordinate
    }

    /// Returns a point on a geometry whose lines step over more than 180 degrees of longitude, with a remark; `nil` if no
    /// line does, and in a system in which such a step is no jump.
    private func across(_ row: inout ImportRow, _ drawn: JSONValue, _ system: System) -> (x: Double, y: Double)? {
        guard case .geographic = system, let continued = PlaceGeometry.unwrapped(drawn),
            let point = GeoJSONFeature.Position(of: continued)
        else { return nil }
        row.record.warn(
            row.record.hasGeometry ? nil : .position,
            "a line of the \(RowPositions.typeName(drawn)) steps over more than 180 degrees of longitude: it is read the short "
                + "way, across the 180th meridian"
        )
        return (Coordinate.wrap(longitude: point.x), point.y)
    }

    private static func typeName(_ geometry: JSONValue) -> String {
        String((geometry["type"]?.string ?? "geometry").prefix(40))
    }

    /// Returns the point by which a shape is placed, as a place over HTTP is.
    private mutating func coordinate(
        _ row: inout ImportRow,
        of shape: PlaceShape?,
        at point: Coordinate,
        x: Double,
        y: Double,
        _ system: System
    ) -> Coordinate? {
        guard shape != nil, case .projected(let projection) = system else {
            return geographic(&row, x: point.longitude, y: point.latitude)
        }
        raw = RawPosition(x: x, y: y, projection: projection, form: form)
        return point
    }

    private static func read(
        _ drawn: JSONValue,
        _ system: System
    ) throws(PlaceGeometry.Invalid) -> (point: Coordinate, shape: PlaceShape?) {
        guard case .projected(let projection) = system else { return try PlaceGeometry.readGiven(drawn) }
        return try PlaceGeometry.readGiven(drawn) { x, y in projection.coordinate(x: x, y: y) }
    }
}

// Angles in two columns.
extension RowPositions {
    /// The outcome of reading two columns that are not both plain numbers.
    private struct Angles {
        let coordinate: Coordinate?
    }

    /// Reads latitude and longitude written as `33° 45′ N`, or with the hemispheres in columns of their own; returns
    /// `nil` if both are plain numbers, or anything else that is not an angle.
    private mutating func angles(_ row: inout ImportRow) -> Angles? {
        guard !row.record.hasGeometry, let latitude = row.record.values[.latitude],
            let longitude = row.record.values[.longitude]
        else { return nil }
        let south = reference(&row, .latitudeReference, negative: ["s", "south"], positive: ["n", "north"])
        let west = reference(&row, .longitudeReference, negative: ["w", "west"], positive: ["e", "east"])
        if row.isBad { return Angles(coordinate: nil) }
        let isSigned = south != true && west != true
        if isSigned, DecimalText.number(latitude) != nil, DecimalText.number(longitude) != nil { return nil }
        let numbers = [latitude, longitude].map { DecimalText.number($0.replacing(",", with: ".")) }
        if let y = numbers[0], let x = numbers[1] {
            if isSigned { return nil }
            // A number with its own sign keeps it: some programs write the sign and the letter.
            let signed = (x: west == true ? -abs(x) : x, y: south == true ? -abs(y) : y)
            return Angles(coordinate: geographic(&row, x: signed.x, y: signed.y))
        }
        // Digits of other scripts and programming notation are for the plain reader, which rejects them.
        let marks: Set<Character> = ["°", "º", "'", "\"", "′", "″", "’", "”", ":"]
        guard (latitude + longitude).contains(where: { marks.contains($0) || ($0.isASCII && $0.isLetter) }) else {
            return nil
        }
        let north = latitude + letter(south, of: latitude, "S", "N")
        let east = longitude + letter(west, of: longitude, "W", "E")
        guard case .coordinate(let read) = TypedPosition.read("\(north); \(east)") else { return nil }
        return Angles(coordinate: geographic(&row, x: read.longitude, y: read.latitude))
    }

    private func letter(_ isNegative: Bool?, of text: String, _ negative: String, _ positive: String) -> String {
        guard let isNegative, text.last?.isLetter != true else { return "" }
        return " " + (isNegative ? negative : positive)
    }

    /// Returns whether a hemisphere is the negative one, or `nil` if the row does not name it.
    private func reference(
        _ row: inout ImportRow,
        _ field: ImportField,
        negative: Set<String>,
        positive: Set<String>
    ) -> Bool? {
        guard let text = row.record.values[field] else { return nil }
        if negative.contains(text.lowercased()) { return true }
        if positive.contains(text.lowercased()) { return false }
        row.record.fail(field, "\(row.shown(text)) is not a hemisphere; write N, S, E or W")
        return nil
    }
}

// One column, and grids.
extension RowPositions {
    private mutating func coordinate(_ row: inout ImportRow, text: String) -> Coordinate? {
        form = .column
        let wellKnown = WellKnownText(text)
        let geometry = wellKnown?.geometry ?? (text.hasPrefix("{") ? JSONValue(geometry: text) : nil)
        if let empty = wellKnown == nil ? geometry.flatMap(GeoJSONFeature.emptyType) : wellKnown?.emptyType {
            row.record.warnOfEmpty(empty, .position)
            return nil
        }
        if let geometry, let position = GeoJSONFeature.Position(of: geometry) {
            guard let system = system(&row, srid: wellKnown?.srid) else { return nil }
            form = .geometryColumn
            return coordinate(&row, x: position.x, y: position.y, drawn: PlaceGeometry.drawn(geometry), system)
        }
        if let grid = GridPosition.mgrs(text) { return coordinate(&row, grid) }
        do throws(GridPosition.ZoneProblem) {
            if let grid = try GridPosition.utm(text) { return coordinate(&row, grid) }
        } catch {
            fail(&row, .position, text, error)
            return nil
        }
        switch TypedPosition.read(text) {
        case .coordinate(let coordinate): return geographic(&row, x: coordinate.longitude, y: coordinate.latitude)
        case .reversed:
            row.record.fail(.position, "\(row.shown(text)): latitude and longitude seem to be swapped")
        case .impossible: row.record.fail(.position, "\(row.shown(text)) is outside the earth")
        case nil:
            row.record.fail(
                .position,
                "\(row.shown(text)) is not a position; write \"33.75, -84.39\", WKT, UTM or MGRS, or --ignore the column"
            )
        }
        return nil
    }

    private mutating func grid(_ row: inout ImportRow) -> Coordinate? {
        let values = row.record.values
        guard let east = values[.easting], let north = values[.northing] else {
            let missing = values[.easting] == nil ? ImportField.easting : .northing
            row.record.fail(missing, "is missing; give easting and northing, or neither")
            return nil
        }
        guard let x = DecimalText.number(east), let y = DecimalText.number(north) else {
            let field = DecimalText.number(east) == nil ? ImportField.easting : .northing
            row.record.fail(field, "\(row.shown(field == .easting ? east : north)) is not a number")
            return nil
        }
        if let text = values[.zone], !isGiven {
            do throws(GridPosition.ZoneProblem) {
                let zone = try GridPosition.Zone(text)
                return coordinate(&row, GridPosition(zone: zone, easting: x, northing: y, size: 0))
            } catch {
                fail(&row, .zone, text, error)
                return nil
            }
        }
        guard let system = system(&row) else { return nil }
        guard case .projected = system else {
            row.record.fail(
                .easting,
                "easting and northing need their reference system: give --crs EPSG:…, or a column utm_zone such as 18N"
            )
            return nil
        }
        return coordinate(&row, x: x, y: y, system)
    }

    private mutating func coordinate(_ row: inout ImportRow, _ grid: GridPosition) -> Coordinate? {
        var datum = GridPosition.Datum.wgs84
        switch row.record.values[.referenceSystem].flatMap(RowPositions.name) {
        case "EPSG:4267": datum = .nad27
        case "EPSG:4269": datum = .nad83
        default: break
        }
        guard let name = grid.zone.name(on: datum), let projection = conversion(name) else {
            row.record.fail(.zone, "there is no UTM zone \(grid.zone.number) on that datum")
            return nil
        }
        if grid.size > 1, row.record.values[.accuracy] == nil {
            // From the middle of the square to its corner.
            row.record.values[.accuracy] = (grid.size * 0.5.squareRoot()).rounded().description
        }
        return coordinate(&row, x: grid.easting, y: grid.northing, .projected(projection))
    }

    private func fail(
        _ row: inout ImportRow,
        _ field: ImportField,
        _ text: String,
        _ problem: GridPosition.ZoneProblem
    ) {
        switch problem {
        case .unreadable: row.record.fail(field, "\(row.shown(text)) names no UTM zone; write one such as 18N")
        case .ambiguous:
            row.record.fail(
                field,
                "\(row.shown(text)): S may mean the southern hemisphere or the band 32° to 40° north; write south or north"
            )
        }
    }
}

// Reference systems.
extension RowPositions {
    /// Returns the system of a row, or `nil` with an error if the row names one that is not known.
    private mutating func system(_ row: inout ImportRow, srid: Int? = nil) -> System? {
        let whole = projection.map { System.projected($0) } ?? .geographic
        if isGiven { return whole }
        let text = srid.map { "EPSG:\($0)" } ?? row.record.values[.referenceSystem]
        guard let text, let name = RowPositions.name(text) else { return whole }
        if name == "EPSG:4326" { return .geographic }
        guard let found = conversion(name) else {
            row.record.fail(
                .referenceSystem,
                "\(row.shown(text)) is not a reference system PROJ knows; write one like EPSG:26918"
            )
            return nil
        }
        return .projected(found)
    }

    private mutating func conversion(_ name: String) -> Projection? {
        if let found = known[name] { return found }
        guard known.count < Self.most else { return nil }
        let made = try? Projection(from: name)
        known[name] = .some(made)
        return made
    }

    /// Returns the PROJ name of a reference system as tables write it; `nil` for words that name none.
    private static func name(_ text: String) -> String? {
        switch text.lowercased().filter({ $0.isLetter || $0.isNumber }) {
        case "wgs84", "epsg4326", "4326", "crs84", "ogccrs84", "worldgeodeticsystem1984", "epsg4326wgs84", "wgs1984":
            return "EPSG:4326"
        case "nad83", "epsg4269", "4269", "northamericandatum1983": return "EPSG:4269"
        case "nad27", "epsg4267", "4267", "northamericandatum1927": return "EPSG:4267"
        case "", "unknown", "notrecorded", "unspecified", "none": return nil
        default: return text.allSatisfy { $0.isASCII && $0.isNumber } ? "EPSG:" + text : text
        }
    }
}
