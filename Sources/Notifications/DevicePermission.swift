/// What somebody lets the app on a device know of where they are.
public enum DevicePermission: String, CaseIterable, Hashable, Sendable {
    /// Also in the background.
    case always
    /// While the app is used.
    case whileInUse = "while_in_use"
    /// Nothing, or no longer.
    case denied
}
