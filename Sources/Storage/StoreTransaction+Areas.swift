import GRDB
import Geometry
public import Stories

/// A sensitive area as the list of them tells it.
public struct ListedArea: Hashable, Sendable {
    /// What the operator calls it.
    public let name: String
    /// How exactly points in it are shown at most.
    public let precision: LocationPrecision
    /// How many corners it has.
    public let corners: Int
}

// Sensitive areas: how exactly the operator lets points be shown at most, whatever their owners say (LOC-08).
extension StoreTransaction {
    /// Replaces the list of sensitive areas; stories are held to it by ``holdToAreas(_:)``.
    ///
    /// - Throws: ``StoreError`` with code `refused` naming the area whose lines cross each other.
    public func replaceAreas(_ areas: [SensitiveArea]) throws {
        try db.execute(sql: "DELETE FROM sensitive_areas")
        for (index, area) in areas.enumerated() {
            let shape = AreaShape.bytes(area)
            let reason = try String.fetchOne(
                db,
                sql: "SELECT ST_IsValidReason(GeomFromWKB(?, 4326))",
                arguments: [shape]
            )
            guard reason == "Valid Geometry" else {
                let name = area.name.isEmpty ? "" : " (\(area.name))"
                throw StoreError(
                    .refused,
                    "Area \(index + 1)\(name) has no inside that could be told from its outside: \(reason ?? "no geometry"). "
                        + "Mend its lines; nothing was changed."
                )
            }
            try db.execute(
                sql: """
                    INSERT INTO sensitive_areas (name, precision, cell, geom)
                    SELECT ?, ?, ?, CastToMultiPolygon(\(area.crossesAntimeridian ? StoreTransaction.split : "shape"))
                    FROM (SELECT GeomFromWKB(?, 4326) AS shape)
                    """,
                arguments: [area.name, area.precision.name, area.precision.cell?.degrees, shape]
            )
        }
    }

    /// What lies beyond the antimeridian is stored on the other side of the map, so that points need one look only.
    private static let split = """
        ST_Collect(ST_Intersection(shape, BuildMbr(-180, -90, 180, 90, 4326)),
        ShiftCoords(ST_Intersection(shape, BuildMbr(180, -90, 540, 90, 4326)), -360, 0))
        """

    /// Returns the sensitive areas, in the order they were given.
    public func areas() throws -> [ListedArea] {
        let sql = "SELECT name, precision, cell, ST_NPoints(geom) AS corners FROM sensitive_areas ORDER BY fid"
        return try Row.fetchAll(db, sql: sql)
            .map { row in
                ListedArea(
                    name: row["name"],
                    precision: StoryRow.precision(row["precision"], cell: row["cell"]),
                    corners: row["corners"] ?? 0
                )
            }
    }

    /// How many stories are held to a precision by the areas.
    public func countHeldStories() throws -> Int {
        try Int.fetchOne(db, sql: "SELECT count(*) FROM stories WHERE floor IS NOT NULL") ?? 0
    }

    /// The stories that the areas hold to another precision than they are stored with, sorted by id, with that precision.
    ///
    /// - Complexity: O(*n*), some microseconds for each story.
    public func outdatedFloors() throws -> [(story: StoryID, floor: LocationPrecision)] {
        let sql = """
            SELECT id, ST_X(geom) AS lon, ST_Y(geom) AS lat, precision, cell, floor, floor_cell FROM stories
            WHERE geom IS NOT NULL
            """
        var found: [(story: StoryID, floor: LocationPrecision)] = []
        let rows = try Row.fetchCursor(db, sql: sql)
        while let row = try rows.next() {
            guard let id = StoryID(row["id"] as String),
                let coordinate = Coordinate(latitude: row["lat"], longitude: row["lon"])
            else { continue }
            let precision = StoryRow.precision(row["precision"], cell: row["cell"])
            let location = StoryLocation(coordinate: coordinate, precision: precision)
            let floor = try floor(of: location)
            if floor != StoryRow.floor(row) { found.append((id, floor)) }
        }
        return found.sorted { $0.story < $1.story }
    }

    /// Stores the floor and the times of a story of which nothing else changed.
    ///
    /// It is no news of the story: nobody is told of it again because of it.
    public func updateFloor(of story: Story) throws {
        guard let location = story.location else { return }
        try noteAudience(of: story)
        let statement = try db.cachedStatement(
            sql: """
                UPDATE stories SET floor = ?, floor_cell = ?, updated_ms = ?, shown_updated_ms = ?,
                anchor_lat = ifnull(?, anchor_lat), anchor_lon = ifnull(?, anchor_lon) WHERE id = ?
                """
        )
        let point = story.publishedPoint
        try statement.execute(
            arguments: StatementArguments(StoryRow.floorArguments(location)) + [
                story.updatedAt.milliseconds, story.shownUpdatedAt.milliseconds, point?.latitude, point?.longitude,
                story.id.description,
            ]
        )
    }

    /// The story with the floor that the areas give it, as insert and update store it.
    ///
    /// When that alone changes what others get of it, others see it as changed when its owner does.
    public func heldToAreas(_ story: Story) throws -> Story {
        guard let location = story.location else { return story }
        var held = story
        held.location?.floor = try floor(of: location)
        if held.location?.published != location.published { held.shownUpdatedAt = held.updatedAt }
        return held
    }

    /// The strictest precision of the areas that the location, as exactly as its owner shows it, touches.
    private func floor(of location: StoryLocation) throws -> LocationPrecision { try floor(of: location.footprint) }

    /// The strictest precision of the areas that a box touches.
    func floor(of box: BoundingBox) throws -> LocationPrecision {
        // A condition on the box alone would be true of all that is near: the shape itself decides, the strictest area
        // first. What SpatiaLite cannot decide (-1) counts as inside. A point is no box to it.
        let statement = try db.cachedStatement(
            sql: """
                WITH near AS MATERIALIZED (SELECT fid, precision, cell FROM sensitive_areas WHERE fid IN (
                    SELECT pkid FROM idx_sensitive_areas_geom
                    WHERE xmin <= :east AND xmax >= :west AND ymin <= :north AND ymax >= :south)
                    ORDER BY precision = 'hidden' DESC, cell DESC LIMIT -1)
                SELECT precision, cell FROM near
                WHERE ST_Intersects((SELECT geom FROM sensitive_areas AS area WHERE area.fid = near.fid),
                    CASE WHEN :west = :east THEN MakePoint(:west, :south, 4326)
                    ELSE BuildMbr(:west, :south, :east, :north, 4326) END) <> 0
                LIMIT 1
                """
        )
        var floor = LocationPrecision.exact
        for (west, east) in StoreTransaction.longitudes(of: box) {
            let arguments: StatementArguments = ["west": west, "south": box.south, "east": east, "north": box.north]
            guard let row = try Row.fetchOne(statement, arguments: arguments) else { continue }
            floor = floor.stricter(StoryRow.precision(row["precision"], cell: row["cell"]))
        }
        return floor
    }

    /// The longitudes of a box; one that touches the antimeridian is also looked for on the other side of the map.
    private static func longitudes(of box: BoundingBox) -> [(west: Double, east: Double)] {
        var spans = [(box.west, box.east)]
        if box.east >= 180 { spans.append((box.west - 360, box.east - 360)) }
        if box.west <= -180 { spans.append((box.west + 360, box.east + 360)) }
        return spans
    }
}
