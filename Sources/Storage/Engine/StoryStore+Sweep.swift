import Foundation
import GRDB
import Stories

extension StoryStore {
    /// Removes the remains of deleted rows from the nodes of the spatial index and from the log.
    ///
    /// `secure_delete` overwrites free pages and cells, and ``GapWiper`` wipes the gaps of pages. But a node of the
    /// R*Tree is a blob to SQLite: when a cell is removed from a node, a box remains in the bytes after the node's last
    /// cell. So these bytes are overwritten, a few nodes at a time, and the log is emptied. Returns whether all remains
    /// of earlier erasures are gone; while a reader is using the log, the log stays until the next sweep. The writer is
    /// held for only a few pages at a time.
    public func sweep() async throws -> Bool {
        let (unswept, inLog) = try await read { (try $0.erasures(.unswept), try $0.erasures(.inLog)) }
        guard !(unswept + inLog).isEmpty else { return true }
        if !unswept.isEmpty {
            try await wipeSpatialIndex()
            try await write(isUrgent: true) { try $0.mark(unswept, as: .inLog) }
        }
        guard try await emptyLog() else { return false }
        try await write(isUrgent: true) { try $0.mark(unswept + inLog, as: .swept) }
        return true
    }

    /// Completes a restored backup that was opened and so applied the list of erasures.
    ///
    /// A backup does not know which of its waiting messages were sent after it was made, so all of them may have been.
    /// Returns whether all remains of what was erased are gone.
    public func finishRestoring() async throws -> Bool {
        try await write(isUrgent: true) { try $0.doubtWaitingEntries() }
        return try await sweep()
    }

    /// The number of tries to empty the log, and the milliseconds between them: most reads end within a moment.
    private static let emptying = (attempts: 8, pause: 25)

    /// Moves the log into the file and empties it; returns `false` if a reader keeps using it.
    func emptyLog() async throws -> Bool {
        for attempt in 0..<StoryStore.emptying.attempts {
            if attempt > 0 { try await Task.sleep(for: .milliseconds(StoryStore.emptying.pause)) }
            if try await emptyLogAtOnce() { return true }
        }
        return false
    }

    /// Moves the log into the file and empties it; returns `false` if a reader is using it right now.
    package func emptyLogAtOnce() async throws -> Bool {
        if let error = stop.error { throw error }
        do {
            return try await database.writeWithoutTransaction { [log] in try log.empty($0) }
        } catch let error as DatabaseError where error.resultCode.primaryResultCode == .SQLITE_IOERR {
            throw stop.stop(error)
        } catch let error as DatabaseError {
            throw StoryStore.explain(error, path: path)
        }
    }

    /// The number of nodes read at a time.
    private static let nodesRead = 256
    /// The number of nodes wiped in one write, each of which takes one page, plus the parents of those pages.
    private static let nodesWiped = 32

    /// Overwrites the bytes after the last cell of each node of the spatial index.
    ///
    /// A node that is created or changed meanwhile cannot regain content erased before.
    private func wipeSpatialIndex() async throws {
        var last = Int64.min
        while true {
            let (dirty, next) = try await read { [last] in
                try $0.unwipedNodes(after: last, limit: StoryStore.nodesRead)
            }
            for start in stride(from: 0, to: dirty.count, by: StoryStore.nodesWiped) {
                let part = Array(dirty[start..<min(start + StoryStore.nodesWiped, dirty.count)])
                try await write(isUrgent: true) { try $0.wipeNodes(part) }
            }
            guard let next else { return }
            last = next
        }
    }

    /// The size of the file in bytes, without its log.
    public var size: Int { StoryStore.size(of: path) }

    /// The size of its log in bytes.
    public var logSize: Int { StoryStore.size(of: path + "-wal") }

    /// The number of write groups committed since the store was opened.
    package var commitCount: Int { meter.longest(.commit).count }

    static func size(of file: String) -> Int {
        (try? FileManager.default.attributesOfItem(atPath: file)[.size] as? Int).flatMap(\.self) ?? 0
    }
}
