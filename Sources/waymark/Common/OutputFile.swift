import Foundation

/// A file that a command writes: beside its place first, and under its name only when it is complete.
struct OutputFile {
    /// Where it is written.
    let draft: String
    private let path: String

    /// Plans a file.
    ///
    /// - Throws: ``CommandFailure`` if its folder does not exist, or the path is a folder or a device.
    init(_ given: String) throws {
        guard !given.isEmpty else { throw CommandFailure.usage("The name of the file to write must not be empty.") }
        let path = try OutputFile.target(of: given)
        let place = URL(fileURLWithPath: path)
        let folder = place.deletingLastPathComponent()
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: folder.path, isDirectory: &isFolder), isFolder.boolValue else {
            throw CommandFailure.usage("The folder of \(path) does not exist. Make it, or give another path.")
        }
        guard !FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) || !isFolder.boolValue else {
            throw CommandFailure.usage("\(path) is a folder; give the path of a file.")
        }
        self.path = path
        draft = folder.appendingPathComponent(".\(place.lastPathComponent).\(UUID().uuidString).part").path
    }

    /// Returns the path of the file that a path means, behind symbolic links, whether it exists or not.
    ///
    /// - Throws: ``CommandFailure`` for a device, a pipe or a socket, which a complete file would replace.
    static func target(of path: String) throws(CommandFailure) -> String {
        var target = path
        // As many links as Linux follows.
        for _ in 0..<40 {
            guard let next = try? FileManager.default.destinationOfSymbolicLink(atPath: target) else { break }
            let folder = URL(fileURLWithPath: target).deletingLastPathComponent()
            target = URL(fileURLWithPath: next, relativeTo: folder).path
        }
        let kind = try? FileManager.default.attributesOfItem(atPath: target)[.type] as? FileAttributeType
        if let kind, ![.typeRegular, .typeDirectory].contains(kind) {
            throw .usage("\(excerpt(path)) is not a regular file. Write to - and redirect it there.")
        }
        return target
    }

    /// Runs `body`, which writes the draft, and puts the draft in its place; removes it if `body` fails.
    ///
    /// If `isPrivate`, only the user of the system may read the file.
    func write<Value>(isPrivate: Bool, _ body: () async throws -> Value) async throws -> Value {
        do {
            let value = try await body()
            if isPrivate { try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: draft) }
            let file = try FileHandle(forUpdating: URL(fileURLWithPath: draft))
            try file.synchronize()
            try file.close()
            guard rename(draft, path) == 0 else { throw CocoaError(.fileWriteUnknown) }
            return value
        } catch {
            try? FileManager.default.removeItem(atPath: draft)
            if error is CocoaError {
                throw CommandFailure.failed(
                    "\(path) cannot be written; check the permissions and the space on the disk."
                )
            }
            throw error
        }
    }
}

/// The name of a table for review, which somebody completes by hand.
enum NewTable {
    /// Checks that a new table may have this path.
    ///
    /// - Throws: ``CommandFailure`` if there is a file: somebody may be editing it.
    static func checkIsFree(_ path: String) throws(CommandFailure) {
        guard !FileManager.default.fileExists(atPath: path) else {
            throw .usage("\(path) exists; give another name with --review, or remove it.")
        }
    }
}
