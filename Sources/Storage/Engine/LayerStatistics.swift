import GRDB

/// SpatiaLite's layer statistics for programs that open the file, such as QGIS: row counts and extents.
enum LayerStatistics {
    private static let layers = ["stories", "sensitive_areas"]
    /// As the triggers of SpatiaLite write the time of a change.
    private static let format = "'%Y-%m-%dT%H:%M:%fZ'"

    /// Writes the row counts and extents of the layers.
    ///
    /// Extents are rounded outwards to whole degrees: an edge exact to the metre would reveal the position of one story
    /// and outlive it until the next update. The values come from the spatial index, without touching any row of the
    /// layers. GDAL and QGIS use them only while they are newer than the last change of a row, and count otherwise.
    static func update(_ db: Database) throws {
        for layer in layers {
            let columns = "row_count, extent_min_x, extent_min_y, extent_max_x, extent_max_y"
            let place = "WHERE f_table_name = '\(layer)' AND f_geometry_column = 'geom'"
            let changed =
                "(SELECT max(last_insert, last_update, last_delete) FROM geometry_columns_time \(place))"
            let known = try Row.fetchOne(
                db,
                sql: """
                    SELECT \(columns), ifnull(last_verified, '') > ifnull(\(changed), '') AS is_newest
                    FROM geometry_columns_statistics \(place)
                    """
            )
            let found = try Row.fetchOne(
                db,
                sql: """
                    SELECT (SELECT count(*) FROM \(layer)) AS row_count, max(-180.0, floor(min(xmin))) AS extent_min_x,
                        max(-90.0, floor(min(ymin))) AS extent_min_y, min(180.0, ceil(max(xmax))) AS extent_max_x,
                        min(90.0, ceil(max(ymax))) AS extent_max_y, 1 AS is_newest
                    FROM idx_\(layer)_geom
                    """
            )
            // A file in which nothing changed stays identical to the byte.
            guard let found, let known, found != known else { continue }
            try db.execute(
                sql: """
                    UPDATE geometry_columns_statistics
                    SET last_verified = max(strftime(\(format), 'now'),
                            ifnull(strftime(\(format), \(changed), '+0.001 seconds'), '')),
                        (\(columns)) = (VALUES (?, ?, ?, ?, ?)) \(place)
                    """,
                arguments: StatementArguments(found.databaseValues.dropLast())
            )
        }
    }

    /// Returns whether the statistics were never written.
    static func areMissing(_ db: Database) throws -> Bool {
        try Bool.fetchOne(
            db,
            sql: "SELECT row_count IS NULL FROM geometry_columns_statistics WHERE f_table_name = 'stories'"
        ) ?? false
    }
}
