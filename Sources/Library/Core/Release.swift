/// What this program is.
public enum Release: Sendable {
    /// The version, by semantic versioning.
    public static let version = "0.1.0"
}
