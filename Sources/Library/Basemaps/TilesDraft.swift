import Basemap
import Foundation

/// A file of tiles that is being written; it appears under its name when it is complete.
struct TilesDraft: TileOutput, Sendable {
    /// The reason why it cannot be written, for the operator.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private let destination: URL
    private let draft: URL
    private let file: FileHandle

    /// Creates the draft of a file, and its folder if necessary.
    ///
    /// - Throws: ``Failure``.
    init(for destination: URL) throws {
        self.destination = destination
        let folder = destination.deletingLastPathComponent()
        draft = folder.appendingPathComponent(".\(UUID().uuidString).part")
        let files = FileManager.default
        try? files.createDirectory(at: folder, withIntermediateDirectories: true)
        guard files.createFile(atPath: draft.path, contents: nil), let file = FileHandle(forWritingAtPath: draft.path)
        else {
            throw Failure(description: "The folder \(folder.path) cannot be written; check its permissions.")
        }
        self.file = file
    }

    func write(_ bytes: [UInt8], at offset: UInt64) throws {
        do {
            try file.seek(toOffset: offset)
            try file.write(contentsOf: Data(bytes))
        } catch {
            throw Failure(description: "\(draft.path) cannot be written. Free some space on the disk and try again.")
        }
    }

    /// Puts the complete file in its place: another process sees either the older file or this one.
    ///
    /// - Throws: ``Failure``.
    func publish() throws {
        do {
            try file.synchronize()
            try file.close()
            guard rename(draft.path, destination.path) == 0 else { throw CocoaError(.fileWriteUnknown) }
        } catch {
            throw Failure(description: "\(destination.path) cannot be written; check the permissions and the disk.")
        }
    }

    /// Removes the draft, if it has not been published.
    func discard() {
        try? file.close()
        try? FileManager.default.removeItem(at: draft)
    }
}
