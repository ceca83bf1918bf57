import Foundation
import Library
import Stories

/// A file made for one client, kept beside the database until the last reference to it is released.
///
/// It lies in a folder of its own, in which SQLite may put what it needs meanwhile.
package final class ExportFile: Sendable {
    /// The path of the file, which does not exist at first.
    let path: String
    private let folder: String

    /// Creates the folder, for this user of the machine alone.
    init(besideDatabase database: String, name: String) throws {
        folder = ExportFile.parent(database) + "/" + name
        path = folder + "/export"
        try FileManager.default.createDirectory(
            atPath: folder,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
    }

    deinit { remove() }

    /// Removes the file before the last reference is released.
    func remove() { try? FileManager.default.removeItem(atPath: folder) }

    /// Sends the whole file in pieces.
    func send(to sink: (_ piece: [UInt8]) async throws -> Void) async throws {
        guard let file = FileHandle(forReadingAtPath: path) else { throw CocoaError(.fileReadNoSuchFile) }
        defer { try? file.close() }
        while let piece = try file.read(upToCount: ExportFile.piece), !piece.isEmpty { try await sink(Array(piece)) }
    }

    private static let piece = 1 << 18

    private static func parent(_ database: String) -> String { database + ".exports" }

    /// Removes files that a service left behind when it was killed; call it before the first export.
    package static func removeLeftovers(besideDatabase path: String) {
        try? FileManager.default.removeItem(atPath: parent(path))
    }
}
