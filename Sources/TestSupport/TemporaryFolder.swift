public import Foundation

/// A folder that is gone when the value that holds it is.
public final class TemporaryFolder: Sendable {
    /// Where it is.
    public let url: URL

    /// Creates an empty folder.
    ///
    /// - Throws: when the system's folder for temporary files cannot be written to.
    public init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "waymark-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    /// The path of a file in it.
    public func path(_ name: String) -> String { url.appending(path: name).path }
}
