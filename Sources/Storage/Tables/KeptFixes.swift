import Foundation
import GRDB
public import Geometry
public import Stories

/// A fix as received, kept because its user asked for it.
public struct KeptFix: Hashable, Sendable {
    /// A keyed digest of its user and content.
    public let id: StoryID
    /// The user's own name for the device.
    public let device: String
    /// When it was taken, by the device's clock.
    public let time: Timestamp
    /// When it arrived.
    public let received: Timestamp
    /// The position.
    public let coordinate: Coordinate
    /// The accuracy in metres, as reported by the device.
    public let accuracy: Double?
    /// The speed in metres per second, as reported by the device.
    public let speed: Double?
    /// The course in degrees clockwise from north, as reported by the device.
    public let course: Double?
    /// The outcome of its evaluation, in one word.
    public let outcome: String
    /// Why each nearby fence was entered or not: a JSON array.
    public let explanation: String

    /// Creates a kept fix.
    public init(
        id: StoryID,
        device: String,
        time: Timestamp,
        received: Timestamp,
        coordinate: Coordinate,
        accuracy: Double?,
        speed: Double?,
        course: Double?,
        outcome: String,
        explanation: String
    ) {
        self.id = id
        self.device = device
        self.time = time
        self.received = received
        self.coordinate = coordinate
        self.accuracy = accuracy
        self.speed = speed
        self.course = course
        self.outcome = outcome
        self.explanation = explanation
    }
}

extension StoreReader {
    /// Returns a kept fix of a user, or `nil`.
    public func keptFix(_ id: StoryID, of user: UserID) throws -> KeptFix? {
        try Row.fetchOne(
            db,
            sql: "SELECT * FROM fixes WHERE user = ? AND id = ?",
            arguments: [user.rawValue, id.description]
        )
        .flatMap(StoreReader.keptFix)
    }

    /// Returns a page of a user's kept fixes, last received first.
    ///
    /// It starts after the receipt time and id of the previous page's last fix.
    public func keptFixes(
        of user: UserID,
        after: (received: Timestamp, id: StoryID)?,
        limit: Int
    ) throws -> [KeptFix] {
        var sql = "SELECT * FROM fixes WHERE user = ?"
        var arguments: StatementArguments = [user.rawValue]
        if let after {
            sql += " AND (received_ms, id) < (?, ?)"
            arguments += [after.received.milliseconds, after.id.description]
        }
        sql += " ORDER BY received_ms DESC, id DESC LIMIT ?"
        arguments += [limit]
        return try Row.fetchAll(db, sql: sql, arguments: arguments).compactMap(StoreReader.keptFix)
    }

    private static func keptFix(_ row: Row) -> KeptFix? {
        guard let id = StoryID(row["id"] as String),
            let coordinate = Coordinate(latitude: row["lat"], longitude: row["lon"])
        else { return nil }
        return KeptFix(
            id: id,
            device: row["device"],
            time: Timestamp(milliseconds: row["time_ms"]),
            received: Timestamp(milliseconds: row["received_ms"]),
            coordinate: coordinate,
            accuracy: row["accuracy"],
            speed: row["speed"],
            course: row["course"],
            outcome: row["outcome"],
            explanation: row["explanation"]
        )
    }

    /// Returns whether any kept fixes of a user arrived before an instant.
    public func hasKeptFixes(of user: UserID, receivedBefore limit: Timestamp) throws -> Bool {
        try Int.fetchOne(
            db,
            sql: "SELECT 1 FROM fixes WHERE user = ? AND received_ms < ? LIMIT 1",
            arguments: [user.rawValue, limit.milliseconds]
        ) != nil
    }

    /// Returns all users whose fixes are kept.
    public func keepersOfFixes() throws -> [UserID] {
        // Takes one step along the index for each user.
        let sql = """
            WITH RECURSIVE keepers (user) AS (
                SELECT min(user) FROM fixes
                UNION ALL SELECT (SELECT min(user) FROM fixes WHERE user > keepers.user) FROM keepers
                WHERE keepers.user IS NOT NULL)
            SELECT user FROM keepers WHERE user IS NOT NULL
            """
        return try String.fetchAll(db, sql: sql).compactMap { UserID($0) }
    }
}

extension StoreTransaction {
    /// Keeps fixes of a user; one that is already stored is unchanged.
    public func keep(_ fixes: [KeptFix], of user: UserID) throws {
        let statement = try db.cachedStatement(
            sql: """
                INSERT OR IGNORE INTO fixes (user, id, device, time_ms, received_ms, lat, lon, accuracy, speed, course,
                outcome, explanation) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """
        )
        for fix in fixes {
            try statement.execute(
                arguments: [
                    user.rawValue, fix.id.description, fix.device, fix.time.milliseconds, fix.received.milliseconds,
                    fix.coordinate.latitude, fix.coordinate.longitude, fix.accuracy, fix.speed, fix.course, fix.outcome,
                    fix.explanation,
                ]
            )
        }
    }

    /// Deletes the fixes of a user that arrived before an instant.
    public func dropKeptFixes(of user: UserID, receivedBefore limit: Timestamp) throws {
        try db.execute(
            sql: "DELETE FROM fixes WHERE user = ? AND received_ms < ?",
            arguments: [user.rawValue, limit.milliseconds]
        )
    }
}
