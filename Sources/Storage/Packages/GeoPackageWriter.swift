import GRDB

/// Writes layers of features as a GeoPackage 1.3 with spatial indexes, through SQLite itself.
///
/// The same layers and rows in the same order give the same bytes. The file must not be read before
/// ``finish(lastChange:)``: nothing is kept safe from a crash until then, so write it beside its place.
public final class GeoPackageWriter {
    private let queue: DatabaseQueue
    private let system: GeoPackageSystem
    private var layers: [GeoPackageLayer] = []

    /// Creates the file, which must not exist.
    ///
    /// - Throws: an error of SQLite.
    public init(path: String, system: GeoPackageSystem) throws {
        var configuration = Configuration()
        configuration.prepareDatabase { db in
            // Until it is complete nobody reads the file, and after a crash it is written anew.
            try db.execute(sql: "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF")
        }
        queue = try DatabaseQueue(path: path, configuration: configuration)
        self.system = system
        try queue.write { db in
            try db.execute(sql: GeoPackageTables.header)
            try db.execute(sql: GeoPackageTables.definitions)
            for system in Set([GeoPackageSystem.wgs84, system]).sorted(by: { $0.code < $1.code }) {
                try db.execute(
                    sql: "INSERT OR IGNORE INTO gpkg_spatial_ref_sys VALUES (?, ?, ?, ?, ?, NULL)",
                    arguments: [system.title, system.code, system.organization, system.code, system.definition]
                )
            }
        }
    }

    /// Adds a layer after those that the file has; programs that read one layer alone read the first.
    ///
    /// `name` has lower-case letters, digits and underscores.
    /// - Throws: an error of SQLite.
    public func addLayer(
        _ name: String,
        of geometry: GeoPackageLayer.Geometry,
        columns: [GeoPackageLayer.Column]
    ) throws -> GeoPackageLayer {
        let table = GeoPackageLayer.Table(name: name, geometry: geometry, columns: columns)
        let layer = try GeoPackageLayer(table, in: queue, system: system.code)
        layers.append(layer)
        return layer
    }

    /// Completes and closes the file.
    ///
    /// `lastChange` is the time of the last change, in ISO 8601 with milliseconds and Z.
    /// - Throws: an error of SQLite.
    public func finish(lastChange: String) throws {
        for layer in layers { try layer.finish(lastChange: lastChange) }
        try queue.close()
    }
}

@available(*, unavailable)
extension GeoPackageWriter: Sendable {}
