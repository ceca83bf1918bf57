import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Puts a restored database with its keys in the place of the present one.
///
/// Several names must change, and no system call changes them together. So a journal beside the database says that the
/// change has begun; from then on it is always completed, at the next start at the latest. Before the journal is on the
/// disk, nothing has changed; after it, every step can be repeated. The restored files lie in `PATH.restoring`, the
/// present ones are moved to a folder `PATH.before-restore-…`.
package enum RestoreSwap: Sendable {
    /// The endings of the files that belong to a database and are replaced with it; the database itself comes last.
    private static let endings = ["-wal", "-shm", "-journal", ".sums", ".check.json", ".keys", ""]

    /// The folder in which a database is restored before it takes its place.
    package static func staging(_ path: String) -> String { path + ".restoring" }

    private static func journal(_ path: String) -> String { path + ".restore-journal" }

    /// Which way files are moved.
    private enum Phase: String {
        /// The present ones are moved out.
        case out
        /// The restored ones are moved in.
        case into = "in"
    }

    /// Replaces the database at `path`, whose lock the caller holds, by the one in ``staging(_:)``; the present files
    /// are kept in `folder`, a name beside the database.
    ///
    /// `step` is called after each step; tests throw from it to stop there.
    ///
    /// - Throws: ``StoreError`` if a file cannot be moved; the next start tries again.
    package static func run(_ path: String, keepingIn folder: String, step: (Int) throws -> Void = { _ in }) throws {
        var steps = 0
        func done() throws {
            steps += 1
            try step(steps)
        }
        try sync(URL(fileURLWithPath: staging(path)))
        try note(.out, folder, path)
        try done()
        try carryOn(path, from: .out, keepingIn: folder, done: done)
    }

    /// Completes a change that was interrupted; does nothing if there is none.
    ///
    /// Without `isWriting` it only finds out.
    ///
    /// - Throws: ``StoreError`` if one was interrupted and cannot be completed, or must not be.
    static func finishInterrupted(_ path: String, isWriting: Bool) throws {
        guard FileManager.default.fileExists(atPath: journal(path)) else { return }
        guard isWriting else {
            throw StoreError(
                .failed,
                "A restore of \(path) was interrupted. Start 'waymark serve' or repeat 'waymark restore': either completes it."
            )
        }
        let lock = try StoreLock(database: path)
        defer { lock.release() }
        try finishInterrupted(path)
    }

    /// Completes a change that was interrupted, for a caller that holds the lock.
    static func finishInterrupted(_ path: String) throws {
        let bytes = try ErasureFile.read(journal(path))
        guard !bytes.isEmpty else { return }
        let words = String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
        let name = URL(fileURLWithPath: path).lastPathComponent
        guard words.count == 2, let phase = Phase(rawValue: words[0]), words[1].hasPrefix(name + ".before-restore-"),
            !words[1].contains("/")
        else {
            throw StoreError(
                .failed,
                "\(journal(path)) is damaged. The restored database is in \(staging(path)), the one before it beside it "
                    + "or in a folder \(name).before-restore-…; put the one that you want in place and remove this file."
            )
        }
        try carryOn(path, from: phase, keepingIn: words[1], done: {})
    }

    private static func carryOn(
        _ path: String,
        from phase: Phase,
        keepingIn folder: String,
        done: () throws -> Void
    ) throws {
        let place = URL(fileURLWithPath: path)
        let (parent, name) = (place.deletingLastPathComponent(), place.lastPathComponent)
        let kept = parent.appendingPathComponent(folder)
        let restored = URL(fileURLWithPath: staging(path))
        if phase == .out {
            // Nothing else removes it, but without it the present database would be moved away for nothing.
            guard exists(restored, name) else {
                throw StoreError(
                    .failed,
                    "The restored database is missing from \(restored.path). Restore the backup again after removing "
                        + "\(journal(path)) and moving the files in \(kept.path), if there are any, back beside it."
                )
            }
            for ending in endings where exists(parent, name + ending) {
                if mkdir(kept.path, 0o700) != 0, errno != EEXIST { throw failure(kept.path) }
                try move(name + ending, from: parent, to: kept)
                try done()
            }
            try sync(parent)
            try note(.into, folder, path)
            try done()
        }
        for ending in endings where exists(restored, name + ending) {
            try move(name + ending, from: restored, to: parent)
            try done()
        }
        try sync(parent)
        guard unlink(journal(path)) == 0 || errno == ENOENT else { throw failure(journal(path)) }
        try done()
        try? FileManager.default.removeItem(at: restored)
        try sync(parent)
    }

    private static func note(_ phase: Phase, _ folder: String, _ path: String) throws {
        do {
            try ErasureFile.replace(journal(path), by: Array("\(phase.rawValue)\n\(folder)\n".utf8))
        } catch {
            throw StoreError(.failed, "Cannot write \(journal(path)): \(error). Nothing was replaced.")
        }
    }

    private static func exists(_ folder: URL, _ name: String) -> Bool {
        var status = stat()
        return lstat(folder.appendingPathComponent(name).path, &status) == 0
    }

    private static func move(_ name: String, from: URL, to: URL) throws {
        let (old, new) = (from.appendingPathComponent(name).path, to.appendingPathComponent(name).path)
        guard rename(old, new) == 0 else { throw failure(old) }
        try sync(to)
    }

    private static func sync(_ folder: URL) throws {
        let descriptor = open(folder.path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(folder.path) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw failure(folder.path) }
    }

    private static func failure(_ path: String) -> StoreError {
        StoreError(
            .failed,
            "\(path) cannot be moved or written: \(String(cString: strerror(errno))). The next start completes the restore."
        )
    }
}
