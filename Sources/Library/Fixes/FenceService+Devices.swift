package import Notifications
import Storage
package import Stories

extension FenceService {
    /// Stores the location permission of a user's device; returns whether the device is monitored now.
    ///
    /// `denied` deletes everything stored about the location of the device.
    package func saveDevice(
        _ device: String,
        of user: UserID,
        permission: DevicePermission,
        platform: String?
    ) async throws -> Bool {
        let now = now()
        let isEnabled = try await store.write { transaction in
            try transaction.saveDevice(device, of: user, permission: permission, platform: platform, at: now)
            return try transaction.notificationSettings(of: user).enabled
        }
        if permission == .denied { memory.forget(user) }
        return isEnabled && permission != .denied
    }
}
