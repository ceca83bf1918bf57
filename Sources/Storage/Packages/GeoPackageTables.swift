/// A reference system as a GeoPackage describes it.
public struct GeoPackageSystem: Hashable, Sendable {
    /// The name for people.
    public let title: String
    /// Who defined it, such as `EPSG`.
    public let organization: String
    /// Its number there, which is also that in the file.
    public let code: Int
    /// Its definition in well-known text.
    public let definition: String

    /// Creates a description.
    public init(title: String, organization: String, code: Int, definition: String) {
        (self.title, self.organization, self.code, self.definition) = (title, organization, code, definition)
    }

    /// Longitude and latitude on WGS 84.
    public static let wgs84 = GeoPackageSystem(
        title: "WGS 84",
        organization: "EPSG",
        code: 4326,
        definition: """
            GEOGCS["WGS 84",DATUM["WGS_1984",SPHEROID["WGS 84",6378137,298.257223563,AUTHORITY["EPSG","7030"]],\
            AUTHORITY["EPSG","6326"]],PRIMEM["Greenwich",0,AUTHORITY["EPSG","8901"]],UNIT["degree",0.0174532925199433,\
            AUTHORITY["EPSG","9122"]],AXIS["Latitude",NORTH],AXIS["Longitude",EAST],AUTHORITY["EPSG","4326"]]
            """
    )
}

/// The tables of GeoPackage 1.3 (OGC 12-128r17), as the standard writes them, and what GDAL adds.
enum GeoPackageTables {
    /// "GPKG", and version 1.3.0.
    static let header = "PRAGMA application_id = 0x47504B47; PRAGMA user_version = 10300"

    static let definitions = """
        CREATE TABLE gpkg_spatial_ref_sys (srs_name TEXT NOT NULL, srs_id INTEGER NOT NULL PRIMARY KEY,
            organization TEXT NOT NULL, organization_coordsys_id INTEGER NOT NULL, definition TEXT NOT NULL,
            description TEXT);
        CREATE TABLE gpkg_contents (table_name TEXT NOT NULL PRIMARY KEY, data_type TEXT NOT NULL,
            identifier TEXT UNIQUE, description TEXT DEFAULT '',
            last_change DATETIME NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ','now')),
            min_x DOUBLE, min_y DOUBLE, max_x DOUBLE, max_y DOUBLE, srs_id INTEGER,
            CONSTRAINT fk_gc_r_srs_id FOREIGN KEY (srs_id) REFERENCES gpkg_spatial_ref_sys(srs_id));
        CREATE TABLE gpkg_geometry_columns (table_name TEXT NOT NULL, column_name TEXT NOT NULL,
            geometry_type_name TEXT NOT NULL, srs_id INTEGER NOT NULL, z TINYINT NOT NULL, m TINYINT NOT NULL,
            CONSTRAINT pk_geom_cols PRIMARY KEY (table_name, column_name), CONSTRAINT uk_gc_table_name UNIQUE (table_name),
            CONSTRAINT fk_gc_tn FOREIGN KEY (table_name) REFERENCES gpkg_contents(table_name),
            CONSTRAINT fk_gc_srs FOREIGN KEY (srs_id) REFERENCES gpkg_spatial_ref_sys(srs_id));
        CREATE TABLE gpkg_extensions (table_name TEXT, column_name TEXT, extension_name TEXT NOT NULL,
            definition TEXT NOT NULL, scope TEXT NOT NULL,
            CONSTRAINT ge_tce UNIQUE (table_name, column_name, extension_name));
        CREATE TABLE gpkg_ogr_contents (table_name TEXT NOT NULL PRIMARY KEY, feature_count INTEGER DEFAULT NULL);
        INSERT INTO gpkg_spatial_ref_sys VALUES
            ('Undefined Cartesian SRS', -1, 'NONE', -1, 'undefined', 'undefined Cartesian coordinate reference system'),
            ('Undefined geographic SRS', 0, 'NONE', 0, 'undefined', 'undefined geographic coordinate reference system');
        """

    /// The triggers that keep the spatial index (extension `gpkg_rtree_index`) and the number of rows right when other
    /// programs change the table `t`, whose geometry is `g` and whose key is `i`.
    static func triggers(table t: String, geometry g: String, key i: String) -> String {
        let box = "ST_MinX(NEW.\(g)), ST_MaxX(NEW.\(g)), ST_MinY(NEW.\(g)), ST_MaxY(NEW.\(g))"
        let index = "rtree_\(t)_\(g)"
        let (isFilled, isEmpty) = (
            "(NEW.\(g) NOTNULL AND NOT ST_IsEmpty(NEW.\(g)))", "(NEW.\(g) ISNULL OR ST_IsEmpty(NEW.\(g)))"
        )
        return """
            CREATE TRIGGER \(index)_insert AFTER INSERT ON \(t) WHEN \(isFilled)
                BEGIN INSERT OR REPLACE INTO \(index) VALUES (NEW.\(i), \(box)); END;
            CREATE TRIGGER \(index)_update1 AFTER UPDATE OF \(g) ON \(t) WHEN OLD.\(i) = NEW.\(i) AND \(isFilled)
                BEGIN INSERT OR REPLACE INTO \(index) VALUES (NEW.\(i), \(box)); END;
            CREATE TRIGGER \(index)_update2 AFTER UPDATE OF \(g) ON \(t) WHEN OLD.\(i) = NEW.\(i) AND \(isEmpty)
                BEGIN DELETE FROM \(index) WHERE id = OLD.\(i); END;
            CREATE TRIGGER \(index)_update3 AFTER UPDATE ON \(t) WHEN OLD.\(i) != NEW.\(i) AND \(isFilled)
                BEGIN DELETE FROM \(index) WHERE id = OLD.\(i);
                INSERT OR REPLACE INTO \(index) VALUES (NEW.\(i), \(box)); END;
            CREATE TRIGGER \(index)_update4 AFTER UPDATE ON \(t) WHEN OLD.\(i) != NEW.\(i) AND \(isEmpty)
                BEGIN DELETE FROM \(index) WHERE id IN (OLD.\(i), NEW.\(i)); END;
            CREATE TRIGGER \(index)_delete AFTER DELETE ON \(t) WHEN OLD.\(g) NOT NULL
                BEGIN DELETE FROM \(index) WHERE id = OLD.\(i); END;
            CREATE TRIGGER trigger_insert_feature_count_\(t) AFTER INSERT ON \(t)
                BEGIN UPDATE gpkg_ogr_contents SET feature_count = feature_count + 1
                WHERE lower(table_name) = lower('\(t)'); END;
            CREATE TRIGGER trigger_delete_feature_count_\(t) AFTER DELETE ON \(t)
                BEGIN UPDATE gpkg_ogr_contents SET feature_count = feature_count - 1
                WHERE lower(table_name) = lower('\(t)'); END;
            """
    }
}
