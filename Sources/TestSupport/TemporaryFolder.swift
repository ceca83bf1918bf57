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
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    /// Returns the path of a file in the folder.
    public func path(_ name: String) -> String { url.appending(path: name).path }
}
