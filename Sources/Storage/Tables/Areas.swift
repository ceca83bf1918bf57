import GRDB
import Geometry
public import Stories

/// A sensitive area, as listed.
public struct ListedArea: Hashable, Sendable {
    /// The operator's name for it.
    public let name: String
    /// The maximum precision at which points in it are shown.
    public let precision: LocationPrecision
    /// The number of its corners.
    public let corners: Int
}

// Sensitive areas: the operator's limit on how precisely points are shown, whatever their owners choose (LOC-08).
extension StoreReader {
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

    /// Returns the number of stories of which an area limits the precision of the location, or that of a further place.
    public func countHeldStories() throws -> Int {
        let sql = """
            SELECT count(*) FROM stories WHERE floor IS NOT NULL OR (further_places > 0
            AND EXISTS (SELECT 1 FROM story_places WHERE story = stories.id AND floor IS NOT NULL))
            """
        return try Int.fetchOne(db, sql: sql) ?? 0
    }

    /// Returns each story whose floor no longer matches the areas, with the floor they require, sorted by id.
    ///
    /// - Complexity: O(*n*), a few microseconds per story.
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

    /// Returns the story with the floor that the areas require; inserts and updates store this version.
    ///
    /// If the floor changes the precision shown to others, the time of the last change that they see becomes the time
    /// of the owner's last change.
    package func heldToAreas(_ story: Story) throws -> Story {
        guard story.location != nil || !story.places.isEmpty else { return story }
        var held = story
        if let location = story.location { held.location?.floor = try floor(of: location) }
        if !story.places.isEmpty { held.places = try heldToAreas(story.places) }
        func published(_ story: Story) -> [LocationPrecision?] {
            [story.location?.published] + story.places.map(\.location.published)
        }
        if published(held) != published(story) { held.shownUpdatedAt = held.updatedAt }
        return held
    }

    /// Returns the strictest precision of the areas that apply to the cell in which the owner shows the location.
    func floor(of location: StoryLocation) throws -> LocationPrecision {
        try floor(of: location.footprint(inCellsOf:))
    }

    /// Returns the strictest precision of the areas that apply to a box.
    ///
    /// An area applies if it touches the box after the box is widened to whole cells of the area's own size.
    func floor(of box: BoundingBox) throws -> LocationPrecision { try floor { $0.widened(box) } }

    /// Returns the strictest precision of the areas that touch a footprint, given in cells of each area's own size.
    private func floor(of footprint: (PublishedCell) -> BoundingBox) throws -> LocationPrecision {
        let precisions = try precisions(near: footprint(.degree))
        var floor = LocationPrecision.exact
        for precision in precisions {
            // A precision looser than one already found makes no difference.
            guard floor.stricter(precision) != floor, let cell = precision.areaCell else { continue }
            if try isTouched(footprint(cell), byAreasOf: precision) { floor = floor.stricter(precision) }
        }
        return floor
    }

    /// Returns the precisions of the areas whose bounding boxes touch a box, strictest first; usually none.
    private func precisions(near box: BoundingBox) throws -> [LocationPrecision] {
        let statement = try db.cachedStatement(
            sql: """
                SELECT DISTINCT precision, cell FROM sensitive_areas WHERE fid IN (
                    SELECT pkid FROM idx_sensitive_areas_geom
                    WHERE xmin <= :east AND xmax >= :west AND ymin <= :north AND ymax >= :south)
                ORDER BY precision = 'hidden' DESC, cell DESC
                """
        )
        var found: [LocationPrecision] = []
        for span in StoreReader.spans(of: box) {
            let near = try Row.fetchAll(statement, arguments: span)
                .map { row in
                    StoryRow.precision(row["precision"], cell: row["cell"])
                }
            found += near.filter { !found.contains($0) }
        }
        return found
    }

    /// Returns whether an area of this precision touches a box.
    private func isTouched(_ box: BoundingBox, byAreasOf precision: LocationPrecision) throws -> Bool {
        // A condition on the bounding box alone would match everything nearby, so the shape itself decides. A result
        // SpatiaLite cannot determine (-1) counts as inside.
        let statement = try db.cachedStatement(
            sql: """
                WITH near AS MATERIALIZED (SELECT fid FROM sensitive_areas WHERE precision = :precision AND cell IS :cell
                    AND fid IN (SELECT pkid FROM idx_sensitive_areas_geom
                    WHERE xmin <= :east AND xmax >= :west AND ymin <= :north AND ymax >= :south) LIMIT -1)
                SELECT 1 FROM near
                WHERE ST_Intersects((SELECT geom FROM sensitive_areas AS area WHERE area.fid = near.fid),
                    BuildMbr(:west, :south, :east, :north, 4326)) <> 0
                LIMIT 1
                """
        )
        for span in StoreReader.spans(of: box) {
            let arguments = span &+ ["precision": precision.name, "cell": precision.cell?.degrees]
            if try Int.fetchOne(statement, arguments: arguments) != nil { return true }
        }
        return false
    }

    /// Returns the sides of a box as arguments; a box at the antimeridian is also searched on the other side of the
    /// map.
    private static func spans(of box: BoundingBox) -> [StatementArguments] {
        box.parts.flatMap { part in
            longitudes(of: part)
                .map { ["west": $0.west, "south": part.south, "east": $0.east, "north": part.north] }
        }
    }

    /// Returns the longitudes of a box; a box at the antimeridian is also searched on the other side of the map.
    private static func longitudes(of box: BoundingBox) -> [(west: Double, east: Double)] {
        var spans = [(box.west, box.east)]
        if box.east >= 180 { spans.append((box.west - 360, box.east - 360)) }
        if box.west <= -180 { spans.append((box.west + 360, box.east + 360)) }
        return spans
    }
}

extension StoreTransaction {
    /// Replaces the list of sensitive areas; apply it to stories with ``holdToAreas(_:)``.
    ///
    /// - Throws: ``StoreError`` with code `refused` naming an area that is not a valid polygon, for instance because
    ///   its lines cross.
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
                    "Area \(index + 1)\(name) is not a valid polygon: \(reason ?? "no geometry"). "
                        + "Correct its lines; nothing was changed."
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

    /// Parts beyond the antimeridian are stored on the other side of the map, so that points need only one lookup.
    private static let split = """
        ST_Collect(ST_Intersection(shape, BuildMbr(-180, -90, 180, 90, 4326)),
        ShiftCoords(ST_Intersection(shape, BuildMbr(180, -90, 540, 90, 4326)), -360, 0))
        """

    /// Stores the floor and the times of a story in which nothing else changed.
    ///
    /// The change does not cause another notification of the story.
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
        try noteStored(story)
    }
}
