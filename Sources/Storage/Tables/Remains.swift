import Foundation
import GRDB

/// Where erased content may still be left in the database, as stored in the column `swept`.
enum ErasureRemains: Int {
    /// Some content may be left in nodes of the spatial index and in the log.
    case unswept = 0
    /// No content is left anywhere.
    case swept = 1
    /// Some content may be left, only in the log.
    case inLog = 2
}

extension StoreReader {
    /// Returns the erasures with the given remains, by the numbers of their lines.
    func erasures(_ remains: ErasureRemains) throws -> [String] {
        let sql = "SELECT id FROM applied_erasures WHERE swept = ? ORDER BY id"
        return try String.fetchAll(db, sql: sql, arguments: [remains.rawValue])
    }

    /// Returns those of the next `limit` nodes of the spatial index after the node `last` that have non-zero bytes
    /// after their last cell.
    ///
    /// Also returns the last node examined, `nil` at the end.
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

    /// Returns a node with the bytes after its last cell wiped; `nil` if all these bytes are zero already.
    ///
    /// A node consists of two bytes for the depth (in the root), two for the number of cells, then cells of 24 bytes;
    /// integers are big-endian (sqlite.org/rtree.html §6; ext/rtree/rtree.c).
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
    /// Records the remains of these erasures.
    func mark(_ ids: [String], as remains: ErasureRemains) throws {
        let statement = try db.cachedStatement(sql: "UPDATE applied_erasures SET swept = ? WHERE id = ?")
        for id in ids { try statement.execute(arguments: [remains.rawValue, id]) }
    }

    /// Overwrites the bytes after the last cell of these nodes.
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
