import CProj

/// What PROJ finds on this machine.
public struct ProjectionData: Sendable {
    /// The version of PROJ, such as `9.1.1`.
    public let version: String
    /// The path of its database of reference systems; `nil` if it finds none: then it knows no system by its number.
    public let database: String?
    /// The version of the register of EPSG in that database.
    public let register: String?

    /// Asks PROJ.
    public init() {
        version = proj_info().version.map { String(cString: $0) } ?? "unknown"
        guard let context = proj_context_create() else {
            (database, register) = (nil, nil)
            return
        }
        defer { proj_context_destroy(context) }
        proj_log_level(context, PJ_LOG_NONE)
        database = proj_context_get_database_path(context).map { String(cString: $0) }
        register = proj_context_get_database_metadata(context, "EPSG.VERSION").map { String(cString: $0) }
    }

    /// The grid that conversions between North American systems miss most, if it is not installed.
    ///
    /// Old maps of the United States are in NAD27, and without this grid they are some metres off.
    public static var missingGrid: Conversion.Missing? {
        try? Conversion(from: "EPSG:4267", to: "EPSG:4326").convert(x: -84.39, y: 33.75)?.missing
    }
}
