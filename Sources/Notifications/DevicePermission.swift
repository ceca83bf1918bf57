/// The location permission that a user has granted to the app on a device.
public enum DevicePermission: String, CaseIterable, Hashable, Sendable {
    /// While the app is in use and in the background.
    case always
    /// Only while the app is in use.
    case whileInUse = "while_in_use"
    /// None, or revoked.
    case denied
}
