public import Foundation
import Synchronization

/// Finds the real data that some tests need and that is no part of the repository.
public enum SharedData: Sendable {
    /// The folder: `WAYMARK_SHARED`, else `../shared` beside the package.
    public static let folder: URL = {
        let environment = ProcessInfo.processInfo.environment["WAYMARK_SHARED"]
        if let environment, !environment.isEmpty { return URL(filePath: environment) }
        // #filePath is Sources/TestSupport/SharedData.swift of the package.
        let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let beside = package.deletingLastPathComponent().appending(path: "shared")
        if FileManager.default.fileExists(atPath: beside.path) { return beside }
        return URL(filePath: FileManager.default.currentDirectoryPath).appending(path: "../shared")
    }()

    /// The file or folder at a path below the shared data, for instance `data/stories`, or `nil` when it is absent.
    public static func url(_ path: String) -> URL? {
        let url = folder.appending(path: path)
        return FileManager.default.fileExists(atPath: url.path) ? url : nil
    }

    /// Whether a test that needs that path should run; for `.enabled(if:)`.
    ///
    /// Where it is absent the test is skipped with a line that says so, except that with `CI=true` it runs and so
    /// fails for want of the data.
    public static func isWanted(_ path: String) -> Bool {
        if url(path) != nil || ProcessInfo.processInfo.environment["CI"] == "true" { return true }
        // Asked once for every test of a suite, said once.
        if announced.withLock({ $0.insert(path).inserted }) {
            print("Skipped: no \(path) below \(folder.path); set WAYMARK_SHARED to the folder of the shared data.")
        }
        return false
    }

    private static let announced = Mutex<Set<String>>([])
}
