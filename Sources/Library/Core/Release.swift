/// The release of this program.
public enum Release: Sendable {
    /// The version, according to semantic versioning.
    public static let version = "0.1.0"
}
