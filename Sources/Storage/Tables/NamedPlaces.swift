import GRDB
public import Geometry
public import Notifications
public import Stories

extension StoreReader {
    /// Returns whether sensitive areas restrict a place to its owner: its bounding box touches one.
    public func isHeld(_ place: NamedPlace) throws -> Bool { try floor(of: place.box) != .exact }

    /// Returns the named place with an id, or `nil`.
    public func namedPlace(_ id: NamedPlaceID) throws -> NamedPlace? {
        try Row.fetchOne(db, sql: "SELECT * FROM named_places WHERE id = ?", arguments: [id.rawValue])
            .flatMap(StoreReader.namedPlace)
    }

    private func namedPlaces(_ ids: [NamedPlaceID], visibleTo viewer: Viewer) throws -> [NamedPlaceID: NamedPlace] {
        try Set(ids)
            .reduce(into: [:]) { places, id in
                if let place = try namedPlace(id, visibleTo: viewer) { places[id] = place }
            }
    }

    /// Returns the named places used in the given notifications, as far as the viewer may know of them.
    public func namedPlaces(of items: [FeedItem], visibleTo viewer: Viewer) throws -> [NamedPlaceID: NamedPlace] {
        try namedPlaces(items.compactMap { $0.visit?.namedPlace }, visibleTo: viewer)
    }

    /// Returns the places of an owner, sorted by id.
    public func namedPlaces(of owner: UserID) throws -> [NamedPlace] {
        try Row.fetchAll(
            db,
            sql: "SELECT * FROM named_places WHERE owner = ? ORDER BY id",
            arguments: [owner.rawValue]
        )
        .compactMap(StoreReader.namedPlace)
    }

    /// Returns how many named places a user has.
    public func namedPlaceCount(of owner: UserID) throws -> Int {
        try Int.fetchOne(db, sql: "SELECT count(*) FROM named_places WHERE owner = ?", arguments: [owner.rawValue]) ?? 0
    }

    /// Returns at most `limit` named places the viewer may know of after a position, newest first, then by id.
    ///
    /// With a box, returns only places whose centre lies in it.
    public func namedPlaces(
        visibleTo viewer: Viewer,
        in box: BoundingBox? = nil,
        after position: (createdAt: Timestamp, id: String)? = nil,
        limit: Int
    ) throws -> [NamedPlace] {
        try Row.fetchAll(
            db,
            sql: """
                SELECT * FROM named_places WHERE layer IN (SELECT value FROM json_each(:layers))
                AND (:south IS NULL OR (lat BETWEEN :south AND :north
                    AND iif(:west <= :east, lon BETWEEN :west AND :east, lon >= :west OR lon <= :east)))
                AND (:time IS NULL OR created_ms < :time OR (created_ms = :time AND id > :id))
                ORDER BY created_ms DESC, id LIMIT :limit
                """,
            arguments: [
                "layers": StoreReader.list(viewer.layers.map(\.text)), "time": position?.createdAt.milliseconds,
                "id": position?.id, "limit": limit, "west": box?.west, "south": box?.south, "east": box?.east,
                "north": box?.north,
            ]
        )
        .compactMap(StoreReader.namedPlace)
    }

    /// Returns the named places the viewer may know of that contain or nearly contain one of these points.
    ///
    /// A place counts if it comes within `metres` of a point; the result is sorted by id.
    ///
    /// - Complexity: O(*p*) for *p* places of the viewer's layers in a band of latitude around each point.
    public func namedPlaces(
        within metres: Double = 0,
        of points: [Coordinate],
        visibleTo viewer: Viewer
    ) throws -> [NamedPlace] {
        let layers = StoreReader.list(viewer.layers.map(\.text))
        let statement = try db.cachedStatement(
            sql: """
                SELECT * FROM named_places WHERE layer IN (SELECT value FROM json_each(:layers))
                AND lat BETWEEN :latitude - :reach AND :latitude + :reach
                """
        )
        let reach = (NamedPlace.radii.upperBound + metres) / GreatCircle.metresPerDegree * 1.01
        var found: [NamedPlaceID: NamedPlace] = [:]
        for point in Set(points) {
            let arguments: StatementArguments = ["layers": layers, "latitude": point.latitude, "reach": reach]
            for row in try Row.fetchAll(statement, arguments: arguments) {
                guard let place = StoreReader.namedPlace(row),
                    GreatCircle.distance(place.coordinate, point) <= place.radius + metres + 0.01
                else { continue }
                found[place.id] = place
            }
        }
        return found.values.sorted { $0.id < $1.id }
    }

    /// Returns corrected copies of the places whose stored restriction differs from the one the areas require, sorted
    /// by id.
    public func outdatedNamedPlaces() throws -> [NamedPlace] {
        try Row.fetchAll(db, sql: "SELECT * FROM named_places ORDER BY id")
            .compactMap(StoreReader.namedPlace)
            .compactMap { place in
                let isHeld = try isHeld(place)
                guard isHeld != place.isHeld else { return nil }
                var changed = place
                changed.isHeld = isHeld
                return changed
            }
    }

    /// Returns all users' notifications that used the name of a place.
    public func notices(namedBy place: NamedPlaceID) throws -> [FeedItem] {
        try notices(where: "named_place = ?", place.rawValue)
    }

    /// Returns a user's notifications that used the name of a place.
    public func namedNotices(of user: UserID) throws -> [FeedItem] {
        try notices(where: "user = ? AND named_place IS NOT NULL", user.rawValue)
    }

    private func notices(where condition: String, _ argument: String) throws -> [FeedItem] {
        try Row.fetchAll(
            db,
            sql: "SELECT * FROM notices WHERE \(condition) ORDER BY user, id",
            arguments: [argument]
        )
        .compactMap { row in try UserID(row["user"] as String).map { try FeedItemRow.item(row, user: $0) } }
    }

    static func namedPlace(_ row: Row) -> NamedPlace? {
        guard let id = NamedPlaceID(row["id"] as String), let owner = UserID(row["owner"] as String),
            let coordinate = Coordinate(latitude: row["lat"], longitude: row["lon"]),
            let privacy = Privacy(rawValue: row["privacy"])
        else { return nil }
        var place = NamedPlace(
            id: id,
            owner: owner,
            name: row["name"],
            coordinate: coordinate,
            radius: row["radius"],
            privacy: privacy,
            family: (row["family"] as String?).flatMap { FamilyID($0) },
            isHeld: row["held"],
            createdAt: Timestamp(milliseconds: row["created_ms"])
        )
        place.updatedAt = Timestamp(milliseconds: row["updated_ms"])
        return place
    }
}

extension StoreTransaction {
    /// Stores a new named place, or changes an existing one.
    public func save(_ place: NamedPlace) throws {
        try db.execute(
            sql: """
                INSERT INTO named_places
                (id, owner, name, lat, lon, radius, privacy, family, held, created_ms, updated_ms)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT (id) DO UPDATE SET name = excluded.name, lat = excluded.lat, lon = excluded.lon,
                radius = excluded.radius, privacy = excluded.privacy, family = excluded.family, held = excluded.held,
                updated_ms = excluded.updated_ms
                """,
            arguments: [
                place.id.rawValue, place.owner.rawValue, place.name, place.coordinate.latitude,
                place.coordinate.longitude, place.radius, place.privacy.rawValue, place.family?.rawValue,
                place.isHeld, place.createdAt.milliseconds, place.updatedAt.milliseconds,
            ]
        )
    }

    /// Removes a named place; notifications named by it keep no trace of its id.
    ///
    /// The caller must first change the text of those notifications.
    public func removeNamedPlace(_ id: NamedPlaceID) throws {
        noteRemoval()
        try db.execute(sql: "DELETE FROM named_places WHERE id = ?", arguments: [id.rawValue])
        try db.execute(sql: "UPDATE notices SET named_place = NULL WHERE named_place = ?", arguments: [id.rawValue])
    }

    /// Makes private the named places a user shared with a family they are leaving.
    func withdrawNamedPlaces(of owner: UserID, from family: FamilyID) throws {
        try db.execute(
            sql: """
                UPDATE named_places SET privacy = 'private', family = NULL, updated_ms = max(updated_ms, ?)
                WHERE owner = ? AND family = ?
                """,
            arguments: [clock.time.milliseconds, owner.rawValue, family.rawValue]
        )
    }
}
