public import Foundation
import Synchronization

/// Finds the real data that some tests need and that is not part of the repository.
public enum SharedData: Sendable {
    /// The folder of the shared data: `WAYMARK_SHARED`, or `../shared` next to the package.
    public static let folder: URL = {
        let environment = ProcessInfo.processInfo.environment["WAYMARK_SHARED"]
        if let environment, !environment.isEmpty { return URL(filePath: environment) }
        // #filePath is Sources/TestSupport/SharedData.swift in the package.
        let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let beside = package.deletingLastPathComponent().appending(path: "shared")
        if FileManager.default.fileExists(atPath: beside.path) { return beside }
        return URL(filePath: FileManager.default.currentDirectoryPath).appending(path: "../shared")
    }()

    /// Returns the file or folder at a path in the shared data, such as `data/stories`, or `nil` if it does not exist.
    public static func url(_ path: String) -> URL? {
        let url = folder.appending(path: path)
        return FileManager.default.fileExists(atPath: url.path) ? url : nil
    }

    /// Returns whether to run a test that needs the data at a path; for `.enabled(if:)`.
    ///
    /// If the data is missing, the test is skipped and a message is printed. With `CI=true`, the test runs all the same
    /// and fails.
    public static func isWanted(_ path: String) -> Bool {
        if url(path) != nil || ProcessInfo.processInfo.environment["CI"] == "true" { return true }
        // Called for every test of a suite; the message is printed once.
        if announced.withLock({ $0.insert(path).inserted }) {
            print("Skipped: no \(path) below \(folder.path); set WAYMARK_SHARED to the folder of the shared data.")
        }
        return false
    }

    private static let announced = Mutex<Set<String>>([])
}
