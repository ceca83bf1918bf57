import Foundation
import Importing
import Synchronization

/// A new table for review, which appears under its name when it is complete.
///
/// An existing file is never replaced: somebody may be editing it. A running service writes to a temporary file, and sends
/// it to the operator's program when it is complete.
final class ReviewFile: Sendable {
    private struct State {
        let file: FileHandle
        var buffer: [UInt8] = []
        /// The number of bytes written, without the buffer, and the number up to which they are kept.
        var written = 0
        var keptLength = 0
        /// The numbers of rows added and kept.
        var rows = 0
        var keptRows = 0
        var hasFailed = false

        mutating func flush() {
            do { try file.write(contentsOf: Data(buffer)) } catch { hasFailed = true }
            written += buffer.count
            buffer.removeAll(keepingCapacity: true)
        }

        /// Sends the whole table to the operator's program.
        mutating func send(to session: OperatorSession) {
            do {
                try file.seek(toOffset: 0)
                while let part = try file.read(upToCount: 1 << 20), !part.isEmpty {
                    session.write(.table([UInt8](part)))
                }
            } catch {
                hasFailed = true
            }
        }
    }

    private let path: String
    /// Where the rows stand until the table is complete.
    private let partPath: String
    private let session = OperatorSession.current
    private let state: Mutex<State>

    /// Creates the table with its header.
    ///
    /// - Throws: ``CommandFailure`` if the file exists or cannot be created.
    init(path: String, header: [UInt8] = ReviewTable.header) throws {
        self.path = path
        if session == nil { try NewTable.checkIsFree(path) }
        partPath = session == nil ? path + ".part" : ReviewFile.temporaryPath
        // Titles and words of private stories: only for the person who runs the command.
        guard
            FileManager.default.createFile(
                atPath: partPath,
                contents: nil,
                attributes: [.posixPermissions: 0o600]
            ), let file = FileHandle(forUpdatingAtPath: partPath)
        else {
            throw CommandFailure.usage("\(path) cannot be created; check that its folder exists and is writable.")
        }
        state = Mutex(State(file: file, buffer: header))
        keep()
    }

    private static var temporaryPath: String {
        FileManager.default.temporaryDirectory.appendingPathComponent("waymark-\(UUID().uuidString).review").path
    }

    /// Adds a row.
    func add(_ row: ReviewTable.Row) { add(ReviewTable.bytes(of: row)) }

    /// Adds a row that is written already.
    func add(_ bytes: [UInt8]) {
        state.withLock { state in
            state.buffer += bytes
            state.rows += 1
            if state.buffer.count > 1 << 20 { state.flush() }
        }
    }

    /// Keeps all rows added so far.
    func keep() {
        state.withLock { state in
            state.flush()
            (state.keptLength, state.keptRows) = (state.written, state.rows)
        }
    }

    /// Removes the rows added since ``keep()``: their file was rejected.
    func drop() {
        state.withLock { state in
            state.flush()
            do {
                try state.file.truncate(atOffset: UInt64(state.keptLength))
            } catch {
                state.hasFailed = true
            }
            (state.written, state.rows) = (state.keptLength, state.keptRows)
        }
    }

    /// Completes the table and gives it its name, or removes it if it has no rows; returns the number of rows.
    ///
    /// - Throws: ``CommandFailure`` if it could not be written.
    @discardableResult
    func finish() throws -> Int {
        drop()
        let (rows, hasFailed) = state.withLock { state in
            if session == nil { do { try state.file.synchronize() } catch { state.hasFailed = true } }
            if let session, state.keptRows > 0 { state.send(to: session) }
            try? state.file.close()
            return (state.keptRows, state.hasFailed)
        }
        guard rows > 0, !hasFailed else {
            discard()
            if hasFailed { throw CommandFailure.failed("\(path) cannot be written; free some space and try again.") }
            return 0
        }
        guard session == nil else {
            discard()
            return rows
        }
        do {
            try FileManager.default.moveItem(atPath: partPath, toPath: path)
        } catch {
            throw CommandFailure.failed("\(path) cannot be created; the table is \(partPath).")
        }
        return rows
    }

    /// Removes what was written.
    func discard() { try? FileManager.default.removeItem(atPath: partPath) }
}
