import Foundation
import GRDB
public import Geometry
public import Notifications
public import Stories

extension StoreReader {
    /// Returns the permission a device last reported; `nil` if it never reported one.
    public func permission(of device: String, user: UserID) throws -> DevicePermission? {
        try String.fetchOne(
            db,
            sql: "SELECT permission FROM devices WHERE user = ? AND device = ?",
            arguments: [user.rawValue, device]
        )
        .flatMap(DevicePermission.init)
    }

    /// Returns when each place was last announced to a user, and by which notification.
    public func lastAnnounced(to user: UserID) throws -> [PlaceID: (at: Timestamp, notice: String)] {
        // With max(), the other columns come from the row that has the maximum.
        let sql = """
            SELECT place_lat, place_lon, max(at_ms) AS latest, id FROM notices
            WHERE user = ? AND place_lat IS NOT NULL GROUP BY place_lat, place_lon
            """
        var latest: [PlaceID: (at: Timestamp, notice: String)] = [:]
        for row in try Row.fetchAll(db, sql: sql, arguments: [user.rawValue]) {
            guard let point = Coordinate(latitude: row["place_lat"], longitude: row["place_lon"]) else { continue }
            let (place, time) = (PlaceID(point), Timestamp(milliseconds: row["latest"]))
            if latest[place].map({ $0.at < time }) ?? true { latest[place] = (time, row["id"]) }
        }
        return latest
    }

    /// Returns every key in a user's ledger.
    public func ledger(of user: UserID) throws -> Set<LedgerKey> {
        let keys = try Row.fetchCursor(db, sql: "SELECT key FROM ledger WHERE user = ?", arguments: [user.rawValue])
        var ledger: Set<LedgerKey> = []
        while let row = try keys.next() {
            let key: Data = row["key"]
            if let key = LedgerKey(stored: [UInt8](key)) { ledger.insert(key) }
        }
        return ledger
    }
}

extension StoreTransaction {
    /// Stores the permission of a device; `denied` also removes the evaluator's state of the device and its pending
    /// visits.
    public func saveDevice(
        _ device: String,
        of user: UserID,
        permission: DevicePermission,
        platform: String?,
        at now: Timestamp
    ) throws {
        try db.execute(
            sql:
                "INSERT OR REPLACE INTO devices (user, device, permission, platform, updated_ms) VALUES (?, ?, ?, ?, ?)",
            arguments: [user.rawValue, device, permission.rawValue, platform, now.milliseconds]
        )
        guard permission == .denied else { return }
        for table in ["evaluator_states", "pending_visits"] {
            try db.execute(
                sql: "DELETE FROM \(table) WHERE user = ? AND device = ?",
                arguments: [user.rawValue, device]
            )
        }
    }
}
