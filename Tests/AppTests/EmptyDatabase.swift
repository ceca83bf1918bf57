import App
import Library
import Foundation
import Logging
import Storage
import TestSupport

/// An empty database with its keys, made once and copied for every test that needs one.
///
/// Creating it takes longer than most tests. Twin worlds rely on having the same secrets.
enum EmptyDatabase: Sendable {
    private static let made = Result { () throws -> TemporaryFolder in
        let folder = try TemporaryFolder()
        // What a constant holds is never let go of.
        atexit { EmptyDatabase.remove() }
        try StoryStore(path: folder.path("waymark.db"), mode: .readWrite, logger: logger).close()
        return folder
    }

    private static func remove() {
        if let folder = try? made.get() { try? FileManager.default.removeItem(at: folder.url) }
    }

    /// Writes nothing: tests look at answers.
    static let logger: Logger = {
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        return logger
    }()

    /// A folder of its own with a copy of the database.
    static func copy() throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        let template = try made.get()
        for name in try FileManager.default.contentsOfDirectory(atPath: template.url.path)
        where name != "waymark.db.lock" {
            try FileManager.default.copyItem(atPath: template.path(name), toPath: folder.path(name))
        }
        return folder
    }
}
