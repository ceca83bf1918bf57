import Foundation
import GRDB
import Geometry
public import Notifications
public import Stories

/// A visit waiting to be announced together with others, and the device that made it.
public struct PendingVisit: Hashable, Sendable {
    /// The visit.
    public let visit: PlaceVisit
    /// The device, by its owner's name for it.
    public let device: String

    /// Creates a pending visit.
    public init(_ visit: PlaceVisit, device: String) {
        self.visit = visit
        self.device = device
    }
}

extension StoreReader {
    /// Returns the pending visits of a user, in the order in which they were stored.
    public func pendingVisits(of user: UserID) throws -> [PendingVisit] {
        let statement = try db.cachedStatement(sql: "SELECT * FROM pending_visits WHERE user = ? ORDER BY number")
        return try Row.fetchAll(statement, arguments: [user.rawValue])
            .map { row in
                guard let place = PlaceID(row["place"] as String), let kind = FeedItem.Kind(rawValue: row["kind"]),
                    let point = Coordinate(latitude: row["place_lat"], longitude: row["place_lon"])
                else { throw StoreError.damagedRow(of: "pending_visits") }
                let visit = PlaceVisit(
                    placeID: place,
                    coordinate: point,
                    kind: kind,
                    at: Timestamp(milliseconds: row["at_ms"]),
                    decidedAt: Timestamp(milliseconds: row["decided_ms"]),
                    confidence: row["confidence"],
                    distance: row["distance"],
                    isSimulated: row["simulated"]
                )
                return PendingVisit(visit, device: row["device"])
            }
    }

    /// Returns the users with a visit pending since before `limit`, sorted.
    public func usersWithVisits(decidedBefore limit: Timestamp) throws -> [UserID] {
        try String.fetchAll(
            db,
            sql: "SELECT DISTINCT user FROM pending_visits WHERE decided_ms < ? ORDER BY user",
            arguments: [limit.milliseconds]
        )
        .compactMap { UserID($0) }
    }

    /// Returns the evaluator's states of a user's devices except `device`, sorted by device, with the time when each is
    /// due.
    public func evaluatorStates(
        of user: UserID,
        butOf device: String?,
        consentEpoch: Int
    ) throws -> [(state: [UInt8], nextTimer: Timestamp?)] {
        let statement = try db.cachedStatement(
            sql: """
                SELECT state, next_timer_ms FROM evaluator_states WHERE user = ? AND device IS NOT ? AND consent_epoch = ?
                ORDER BY device
                """
        )
        let rows = try Row.fetchAll(statement, arguments: [user.rawValue, device, consentEpoch])
        return rows.map { row in
            ([UInt8](row["state"] as Data), (row["next_timer_ms"] as Int64?).map { Timestamp(milliseconds: $0) })
        }
    }
}

extension StoreTransaction {
    /// Replaces the pending visits of a user.
    public func savePendingVisits(_ visits: [PendingVisit], of user: UserID) throws {
        try db.cachedStatement(sql: "DELETE FROM pending_visits WHERE user = ?").execute(arguments: [user.rawValue])
        let statement = try db.cachedStatement(
            sql: """
                INSERT INTO pending_visits (user, number, device, place, place_lat, place_lon, kind, at_ms, decided_ms,
                confidence, simulated, distance) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """
        )
        for (number, pending) in visits.enumerated() {
            let visit = pending.visit
            try statement.execute(
                arguments: [
                    user.rawValue, number, pending.device, visit.placeID.description, visit.coordinate.latitude,
                    visit.coordinate.longitude, visit.kind.rawValue, visit.at.milliseconds,
                    visit.decidedAt.milliseconds, visit.confidence, visit.isSimulated, visit.distance,
                ]
            )
        }
    }
}
