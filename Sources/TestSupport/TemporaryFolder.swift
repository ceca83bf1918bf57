public import Foundation

/// A temporary folder that is deleted when this value is released.
public final class TemporaryFolder: Sendable {
    /// The location of the folder.
    public let url: URL

    /// Creates an empty folder.
    ///
    /// - Throws: an error if the system's folder for temporary files is not writable.
    public init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "waymark-test-\(UUID().uuidString)")
        // Closed to others, as a service expects the folder of its database to be.
        try FileManager.default.createDirectory(
            at: url,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    /// Returns the path of a file in the folder.
    public func path(_ name: String) -> String { url.appending(path: name).path }
}
