import Foundation
import GRDB
public import Notifications
public import Stories

extension StoreTransaction {
    /// Remembers what somebody lets a device know; with `denied`, what the evaluator keeps of the device goes.
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
        try db.execute(
            sql: "DELETE FROM evaluator_states WHERE user = ? AND device = ?",
            arguments: [user.rawValue, device]
        )
    }

    /// What somebody lets a device know, as it last said; `nil` when it never said anything.
    public func permission(of device: String, user: UserID) throws -> DevicePermission? {
        try String.fetchOne(
            db,
            sql: "SELECT permission FROM devices WHERE user = ? AND device = ?",
            arguments: [user.rawValue, device]
        )
        .flatMap(DevicePermission.init)
    }

    /// Every key of the ledger of a user.
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
