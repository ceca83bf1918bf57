import Foundation
import GRDB
import Stories

extension StoryStore {
    /// Removes what deleted rows can leave behind: in the nodes of the spatial index, in gaps of pages, in the log.
    ///
    /// `secure_delete` overwrites free pages and cells, but a page that was split keeps what moved out of it in the gap
    /// between its cells, and a node of the R*Tree keeps the box of its last cell. So the nodes are wiped behind their
    /// last cell, the file is written anew, and the log is emptied. Returns whether nothing is left; where another
    /// process reads, or a long answer is being sent, the log stays until the next sweep.
    ///
    /// It takes about a second for each 100 MB, in which nothing is written. Of several at a time the first does it for
    /// all that was erased by then, and what was written anew already is not again because a reader kept the log.
    public func sweep() async throws -> Bool {
        guard try await read({ try $0.hasUnsweptErasures() }) else { return true }
        return try await database.writeWithoutTransaction { db in
            if try StoryStore.hasErasures(.unswept, db) {
                try StoryStore.wipeSpatialIndex(db)
                try db.execute(sql: "VACUUM")
                try StoryStore.mark(.unswept, as: .inLog, db)
            }
            guard try StoryStore.hasErasures(.inLog, db) else { return true }
            guard try StoryStore.emptyLog(db) else { return false }
            try StoryStore.mark(.inLog, as: .swept, db)
            return true
        }
    }

    /// What is left of something erased: the column `swept`.
    enum Remains: Int {
        /// It may lie in free space of the file and in the log.
        case unswept = 0
        /// Nothing, anywhere.
        case swept = 1
        /// It may lie in the log alone.
        case inLog = 2
    }

    private static func hasErasures(_ remains: Remains, _ db: Database) throws -> Bool {
        let sql = "SELECT 1 FROM applied_erasures WHERE swept = ? LIMIT 1"
        return try Int.fetchOne(db, sql: sql, arguments: [remains.rawValue]) != nil
    }

    private static func mark(_ old: Remains, as new: Remains, _ db: Database) throws {
        let sql = "UPDATE applied_erasures SET swept = ? WHERE swept = ?"
        try db.execute(sql: sql, arguments: [new.rawValue, old.rawValue])
    }

    /// The size of the file in bytes, its log not counted.
    public var size: Int {
        (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int).flatMap(\.self) ?? 0
    }

    /// Moves the log into the file and empties it, unless a reader is in the way.
    private static func emptyLog(_ db: Database) throws -> Bool {
        // Nobody is to wait the usual five seconds for a reader that may take minutes.
        try db.execute(sql: "PRAGMA busy_timeout = 100")
        defer { try? db.execute(sql: "PRAGMA busy_timeout = 5000") }
        do {
            _ = try db.checkpoint(.truncate)
            return true
        } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
            return false
        }
    }

    /// Overwrites the bytes behind the last cell of each node of the spatial index.
    ///
    /// A node: two bytes of depth in the root, two of the number of cells, then cells of 24 bytes, integers big-endian
    /// (sqlite.org/rtree.html §6; ext/rtree/rtree.c).
    private static func wipeSpatialIndex(_ db: Database) throws {
        try db.inTransaction {
            let nodes = try Row.fetchCursor(db, sql: "SELECT nodeno, data FROM idx_stories_geom_node")
            var wiped: [(number: Int64, data: Data)] = []
            while let row = try nodes.next() {
                var bytes = [UInt8](row["data"] as Data)
                guard bytes.count >= 4 else { continue }
                let end = 4 + 24 * (Int(bytes[2]) << 8 | Int(bytes[3]))
                guard end < bytes.count, bytes[end...].contains(where: { $0 != 0 }) else { continue }
                bytes.replaceSubrange(end..., with: repeatElement(0, count: bytes.count - end))
                wiped.append((row["nodeno"], Data(bytes)))
            }
            for node in wiped {
                try db.execute(
                    sql: "UPDATE idx_stories_geom_node SET data = ? WHERE nodeno = ?",
                    arguments: [node.data, node.number]
                )
            }
            return .commit
        }
    }
}
