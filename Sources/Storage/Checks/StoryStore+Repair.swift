import Foundation
import GRDB
import Stories

extension StoryStore {
    /// The maximum number of stories derived anew in one write.
    private static let derivedAtOnce = 100

    /// Corrects flipped bits of pages and of sums in the file; returns how many pages were put right.
    ///
    /// A page's corrected content is what SQLite gets from it already, so nothing changes for anybody who reads it.
    ///
    /// - Throws: ``StoreError`` if the store is not writable or the disk fails.
    package func repairPages() async throws -> Int {
        guard let sums, isWritable else { throw StoreError(.failed, "\(path) is not open for writing.") }
        return try await repairing { db in
            let scan = try PageScan(of: db, sums: sums)
            for page in scan.sumFlipped + scan.unknown { try PageJudgement.adopt(page, of: db, sums: sums) }
            for page in scan.flipped { try StoryStore.correct(page, of: db, sums: sums) }
            return (scan.sumFlipped + scan.unknown + scan.flipped).count
        }
    }

    /// Makes the indexes anew.
    package func repairIndexes() async throws {
        try await repairing { db in try db.execute(sql: "REINDEX") }
    }

    /// Makes the spatial indexes and the statistics of the layers anew.
    package func repairSpatialIndexes() async throws {
        try await repairing { db in
            try db.inTransaction {
                for (table, key) in [("stories", "fid"), ("sensitive_areas", "fid")] {
                    try StoryStore.rebuildSpatialIndex(of: table, key: key, db)
                }
                try LayerStatistics.update(db)
                return .commit
            }
        }
    }

    /// Links notifications with their stories where links are missing.
    package func repairLinks() async throws {
        try await repairing { db in
            try db.execute(
                sql: """
                    INSERT OR IGNORE INTO notice_stories (story, user, notice)
                    SELECT entry.value, notices.user, notices.id FROM notices, json_each(notices.content) AS entry
                    """
            )
        }
    }

    /// Stores anew what is derived from these stories.
    package func repairDerived(_ ids: [String]) async throws {
        for start in stride(from: 0, to: ids.count, by: StoryStore.derivedAtOnce) {
            let part = ids[start..<min(start + StoryStore.derivedAtOnce, ids.count)].compactMap { StoryID($0) }
            try await write { transaction in
                for id in part {
                    guard let story = try transaction.story(id) else { continue }
                    _ = try transaction.updateHeld(story, isEdit: false)
                }
            }
        }
    }

    /// Runs `body` on the writer's connection, outside a transaction.
    private func repairing<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws -> Value {
        if let error = stop.error { throw error }
        return try await explaining { try await self.database.writeWithoutTransaction(body) }
    }

    private static func correct(_ number: Int64, of db: Database, sums: PageSums) throws {
        let page = UnsafeMutableRawBufferPointer.allocate(byteCount: sums.pageSize, alignment: 16)
        defer { page.deallocate() }
        let bytes = UnsafeRawBufferPointer(page)
        guard try DatabaseFile.rawPage(number, of: db, into: page),
            case .flipped(let bits) = PageSum.verdict(on: bytes, number: number, sum: sums.sum(of: number))
        else { return }
        for bit in bits { page[bit >> 3] ^= 1 << UInt8(bit & 7) }
        try DatabaseFile.putBack(bytes, number: number, of: db)
    }

    /// Empties a spatial index, even one whose nodes are damaged, and fills it from its table.
    private static func rebuildSpatialIndex(of table: String, key: String, _ db: Database) throws {
        let index = "idx_\(table)_geom"
        // The module takes the size of a node from the root: 51 cells of 24 bytes and a header, for pages of 4 KiB.
        let size = try Int.fetchOne(db, sql: "SELECT length(data) FROM \(index)_node WHERE nodeno = 1") ?? 1_228
        for shadow in ["node", "parent", "rowid"] { try db.execute(sql: "DELETE FROM \(index)_\(shadow)") }
        try db.execute(sql: "INSERT INTO \(index)_node (nodeno, data) VALUES (1, zeroblob(?))", arguments: [size])
        try db.execute(
            sql: """
                INSERT INTO \(index) (pkid, xmin, xmax, ymin, ymax)
                SELECT \(key), ST_MinX(geom), ST_MaxX(geom), ST_MinY(geom), ST_MaxY(geom) FROM \(table)
                WHERE geom IS NOT NULL
                """
        )
    }

    /// Copies the files of a database that nobody has open to `PATH.recovery-YYYYMMDD-HHMMSS`, readable by its owner
    /// only, and returns the path of the copy.
    ///
    /// - Throws: ``StoreError`` if another process has it open, or the copy cannot be written.
    package static func keepOriginal(ofDatabase path: String, named name: String) throws -> String {
        let path = resolved(path)
        let lock = try StoreLock(database: path)
        defer { lock.release() }
        let copy = "\(path).recovery-\(name)"
        do {
            for ending in ["", "-wal", ".sums"] where FileManager.default.fileExists(atPath: path + ending) {
                try FileManager.default.copyItem(atPath: path + ending, toPath: copy + ending)
                try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: copy + ending)
            }
        } catch {
            for ending in ["", "-wal", ".sums"] { try? FileManager.default.removeItem(atPath: copy + ending) }
            throw StoreError(
                .failed,
                "\(copy) cannot be written, so nothing was repaired. Free as much space as the database takes, and make its "
                    + "folder writable."
            )
        }
        return copy
    }

    /// Takes the file as it is: its pages get new sums, if SQLite finds its structure sound.
    ///
    /// Returns what SQLite finds wrong otherwise; nothing is changed then.
    package func acceptPages() async throws -> [String] {
        guard let sums, isWritable else { throw StoreError(.failed, "\(path) is not open for writing.") }
        return try await repairing { db in
            try DatabaseFile.bypassing(db) {
                let problems = try String.fetchAll(db, sql: "PRAGMA integrity_check(10)").filter { $0 != "ok" }
                guard problems.isEmpty else { return problems }
                let scan = try PageScan(of: db, sums: sums)
                for page in scan.unknown + scan.sumFlipped + scan.flipped + scan.different {
                    try PageJudgement.adopt(page, of: db, sums: sums)
                    sums.forget(page)
                }
                sums.truncate(pages: try DatabaseFile.pageCount(of: db, pageSize: sums.pageSize))
                sums.finish()
                return []
            }
        }
    }
}
