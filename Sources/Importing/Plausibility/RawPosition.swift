import Geometry
import Projections

/// The numbers of a row before they became a position.
struct RawPosition {
    /// Where the numbers stand.
    enum Form: Sendable {
        /// In two columns.
        case columns
        /// In the geometry of a feature.
        case geometry
        /// In one column, as well-known text or GeoJSON.
        case geometryColumn
        /// In one column, as people write positions.
        case column
    }

    /// The longitude or the easting.
    let x: Double
    /// The latitude or the northing.
    let y: Double
    /// The conversion of the row; `nil` for longitude and latitude on WGS 84.
    let projection: Projection?
    /// Where the numbers stand.
    var form = Form.columns
}

/// A mistake that moves all positions of a file, or some, in the same way.
enum Slip: CaseIterable, Sendable {
    case exchanged, latitudeSign, longitudeSign, bothSigns
    /// Numbers in feet, read as metres.
    case feet
    /// Numbers in metres, read as feet.
    case metres

    /// The international foot in metres.
    private static let foot = 0.3048

    /// Returns the position without the mistake; `nil` if the numbers allow no such mistake.
    func corrected(_ raw: RawPosition) -> Coordinate? {
        guard let projection = raw.projection else {
            switch self {
            case .exchanged: return Coordinate(latitude: raw.x, longitude: raw.y)
            case .latitudeSign: return Coordinate(latitude: -raw.y, longitude: raw.x)
            case .longitudeSign: return Coordinate(latitude: raw.y, longitude: -raw.x)
            case .bothSigns: return Coordinate(latitude: -raw.y, longitude: -raw.x)
            case .feet, .metres: return nil
            }
        }
        switch self {
        case .exchanged: return projection.coordinate(x: raw.y, y: raw.x)
        case .feet: return projection.coordinate(x: raw.x * Slip.foot, y: raw.y * Slip.foot)
        case .metres: return projection.coordinate(x: raw.x / Slip.foot, y: raw.y / Slip.foot)
        case .latitudeSign, .longitudeSign, .bothSigns: return nil
        }
    }

    /// What to do so that positions lie where they belong, for a sentence that goes on with "they would lie in".
    func remedy(isProjected: Bool) -> String {
        switch self {
        case .exchanged:
            isProjected ? "with easting and northing exchanged" : "with latitude and longitude exchanged"
        case .latitudeSign: "with the other sign of the latitude"
        case .longitudeSign: "with the other sign of the longitude"
        case .bothSigns: "with the other signs of latitude and longitude"
        case .feet: "read as feet and not as metres"
        case .metres: "read as metres and not as feet"
        }
    }

    /// How to correct the import of numbers in a form.
    ///
    /// Columns are given other names only if nearly all rows have the mistake.
    func advice(isProjected: Bool, in form: RawPosition.Form, ofAll concernsAll: Bool) -> String {
        switch self {
        case .exchanged where form == .columns && !concernsAll: "exchange the two values in the file"
        case .exchanged: Slip.order(isProjected: isProjected, in: form)
        case .latitudeSign, .longitudeSign, .bothSigns: "correct the signs in the file: south and west are negative"
        case .feet, .metres: "give the reference system in that unit with --crs"
        }
    }

    /// How to exchange the numbers: only columns can be given other names.
    private static func order(isProjected: Bool, in form: RawPosition.Form) -> String {
        let order = isProjected ? "easting before northing" : "longitude before latitude"
        switch form {
        case .columns:
            return isProjected
                ? "give --map easting=… and --map northing=…, or correct the columns"
                : "give --map lat=… and --map lon=…, or correct the columns"
        case .geometry:
            return "correct the file: its geometries must have \(order) ('Swap X and Y coordinates' in QGIS)"
        case .geometryColumn: return "correct the column: WKT and GeoJSON must have \(order)"
        case .column: return "correct the column: write latitude before longitude, or add N, S, E or W"
        }
    }
}
