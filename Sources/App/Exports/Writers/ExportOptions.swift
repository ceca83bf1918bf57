package import Geometry
package import Storage

/// The reference system of exported positions.
package struct ExportReference {
    /// How it is stored in a GeoPackage.
    package let system: GeoPackageSystem
    /// Whether positions are longitude and latitude.
    package let isGeographic: Bool
    /// Returns the position of a coordinate in it, east before north; `nil` if it is undefined there.
    package let position: (Coordinate) -> (x: Double, y: Double)?

    /// Creates a reference system.
    package init(
        system: GeoPackageSystem,
        isGeographic: Bool,
        position: @escaping (Coordinate) -> (x: Double, y: Double)?
    ) {
        (self.system, self.isGeographic, self.position) = (system, isGeographic, position)
    }

    /// The name, such as `EPSG:26918`.
    package var name: String { "\(system.organization):\(system.code)" }
}

/// What an export depends on besides its format.
package struct ExportOptions {
    /// The reference system; `nil` means WGS 84.
    package var reference: ExportReference?
    /// The address of the service, without a slash at its end, for formats that name stories by addresses; `nil` for
    /// those names that need no service.
    package var address: String?

    /// Creates the default options.
    package init() {}
}
