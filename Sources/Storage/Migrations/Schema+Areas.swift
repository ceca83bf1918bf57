import Formats
import GRDB
import Stories

extension Schema {
    /// Creates the tables of sensitive areas.
    ///
    /// `floor` of a story is the strictest precision of the areas it lies in, NULL for none. `place_text` holds the
    /// names of its place, which may be searched only by users who see its exact point. It is split off `search_text`.
    static func createAreas(_ db: Database) throws {
        try db.execute(
            sql: """
                ALTER TABLE stories ADD COLUMN place_text TEXT NOT NULL DEFAULT '';
                ALTER TABLE stories ADD COLUMN floor TEXT;
                ALTER TABLE stories ADD COLUMN floor_cell REAL;
                CREATE TABLE sensitive_areas (
                    fid INTEGER PRIMARY KEY, name TEXT NOT NULL,
                    precision TEXT NOT NULL CHECK (precision IN ('approximate', 'hidden')), cell REAL);
                """
        )
        let column = "SELECT AddGeometryColumn('sensitive_areas', 'geom', 4326, 'MULTIPOLYGON', 'XY', 1)"
        guard try Int.fetchOne(db, sql: column) == 1,
            try Int.fetchOne(db, sql: "SELECT CreateSpatialIndex('sensitive_areas', 'geom')") == 1
        else { throw StoreError(.failed, "SpatiaLite could not create the geometry column of sensitive areas.") }
        try splitSearchText(db)
    }

    private static func splitSearchText(_ db: Database) throws {
        let columns = [
            "title", "text", "tags", "people", "mentions", "place_name", "address", "city", "state", "country",
        ]
        let rows = try Row.fetchCursor(db, sql: "SELECT fid, \(columns.joined(separator: ", ")) FROM stories")
        let update = try db.makeStatement(sql: "UPDATE stories SET search_text = ?, place_text = ? WHERE fid = ?")
        // The cursor must be exhausted before the rows it reads are changed.
        var texts: [(fid: Int64, search: String, place: String)] = []
        while let row = try rows.next() {
            func words(_ name: String) throws -> [String] {
                guard let text = row[name] as String? else { return [] }
                return try JSONValue(parsing: Array(text.utf8), limits: .init(bytes: 1 << 20)).array?
                    .compactMap(\.string) ?? []
            }
            let text =
                try [row["title"] ?? "", row["text"] ?? ""] + words("tags") + words("people") + words("mentions")
            let places = columns.suffix(5).compactMap { row[$0] as String? }
            texts.append(
                (row["fid"], text.joined(separator: "\n").lowercased(), places.joined(separator: "\n").lowercased())
            )
        }
        for text in texts { try update.execute(arguments: [text.search, text.place, text.fid]) }
    }
}
