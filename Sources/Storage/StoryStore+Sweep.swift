import Foundation
import GRDB
import Stories

extension StoryStore {
    /// Removes what deleted rows can leave behind: in the nodes of the spatial index and in the log.
    ///
    /// `secure_delete` overwrites free pages and cells, and ``GapWiper`` the gaps of pages; but a node of the R*Tree, a
    /// blob for SQLite, keeps the box of its last cell. So the nodes are wiped behind their last cell, a few at a time,
    /// and the log is emptied. Returns whether nothing is left of what was erased before; where somebody reads in the
    /// log it stays until the next sweep. The writer is held for a few pages at a time.
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

    /// How often, and how many milliseconds apart, the log is tried to be emptied: most readers take a moment.
    private static let emptying = (attempts: 8, pause: 25)

    /// Moves the log into the file and empties it; returns `false` when somebody keeps reading in it.
    func emptyLog() async throws -> Bool {
        for attempt in 0..<StoryStore.emptying.attempts {
            if attempt > 0 { try await Task.sleep(for: .milliseconds(StoryStore.emptying.pause)) }
            if try await emptyLogAtOnce() { return true }
        }
        return false
    }

    /// Moves the log into the file and empties it; returns `false` when somebody reads in it at this moment.
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

    /// How many nodes are read at a time.
    private static let nodesRead = 256
    /// How many nodes are wiped in one write: a page each, and those above it.
    private static let nodesWiped = 32

    /// Overwrites the bytes behind the last cell of each node of the spatial index.
    ///
    /// A node that comes into being meanwhile, or is changed, cannot get back what was erased before.
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

    /// The size of the file in bytes, its log not counted.
    public var size: Int { StoryStore.size(of: path) }

    /// The size of its log in bytes.
    public var logSize: Int { StoryStore.size(of: path + "-wal") }

    /// How many groups of writes were committed since the store was opened.
    package var commitCount: Int { meter.longest(.commit).count }

    private static func size(of file: String) -> Int {
        (try? FileManager.default.attributesOfItem(atPath: file)[.size] as? Int).flatMap(\.self) ?? 0
    }
}

/// What is left of something erased: the column `swept`.
enum ErasureRemains: Int {
    /// It may lie in nodes of the spatial index and in the log.
    case unswept = 0
    /// Nothing, anywhere.
    case swept = 1
    /// It may lie in the log alone.
    case inLog = 2
}

extension StoreReader {
    /// The erasures of which so much is left, by the numbers of their lines.
    func erasures(_ remains: ErasureRemains) throws -> [String] {
        let sql = "SELECT id FROM applied_erasures WHERE swept = ? ORDER BY id"
        return try String.fetchAll(db, sql: sql, arguments: [remains.rawValue])
    }

    /// The nodes of the spatial index with something behind their last cell, of some in order after one; with the last
    /// of those that were looked at, `nil` at the end.
    func unwipedNodes(after last: Int64, limit: Int) throws -> (dirty: [Int64], last: Int64?) {
        let nodes = try Row.fetchCursor(
            db,
            sql: "SELECT nodeno, data FROM idx_stories_geom_node WHERE nodeno > ? ORDER BY nodeno LIMIT ?",
            arguments: [last, limit]
        )
        var (dirty, seen) = ([Int64](), (count: 0, last: last))
        while let row = try nodes.next() {
            let number: Int64 = row["nodeno"]
            if let data = row["data"] as Data?, StoreReader.wiped(data) != nil { dirty.append(number) }
            seen = (seen.count + 1, number)
        }
        return (dirty, seen.count < limit ? nil : seen.last)
    }

    /// A node without what is behind its last cell; `nil` when there is nothing.
    ///
    /// A node: two bytes of depth in the root, two of the number of cells, then cells of 24 bytes, integers big-endian
    /// (sqlite.org/rtree.html §6; ext/rtree/rtree.c).
    fileprivate static func wiped(_ data: Data) -> Data? {
        var bytes = [UInt8](data)
        guard bytes.count >= 4 else { return nil }
        let end = 4 + 24 * (Int(bytes[2]) << 8 | Int(bytes[3]))
        guard end < bytes.count, bytes[end...].contains(where: { $0 != 0 }) else { return nil }
        bytes.replaceSubrange(end..., with: repeatElement(0, count: bytes.count - end))
        return Data(bytes)
    }
}

extension StoreTransaction {
    /// Says how much is left of these erasures.
    func mark(_ ids: [String], as remains: ErasureRemains) throws {
        let statement = try db.cachedStatement(sql: "UPDATE applied_erasures SET swept = ? WHERE id = ?")
        for id in ids { try statement.execute(arguments: [remains.rawValue, id]) }
    }

    /// Wipes these nodes behind their last cell.
    func wipeNodes(_ numbers: [Int64]) throws {
        let select = try db.cachedStatement(sql: "SELECT data FROM idx_stories_geom_node WHERE nodeno = ?")
        let update = try db.cachedStatement(sql: "UPDATE idx_stories_geom_node SET data = ? WHERE nodeno = ?")
        for number in numbers {
            guard let data = try Data.fetchOne(select, arguments: [number]), let wiped = StoreTransaction.wiped(data)
            else { continue }
            try update.execute(arguments: [wiped, number])
        }
    }
}
