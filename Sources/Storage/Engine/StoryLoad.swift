import CSpatiaLite
import Foundation
import GRDB
import Geometry
public import Stories

/// Stores many new stories in one transaction, with the same rows in all tables as one insertion after the other.
///
/// What the triggers of the file do for each row is done once for all of them. Indexes on random keys are removed before
/// the rows are stored, if these are the larger part, and built again at the end from sorted keys; as this is part of the
/// transaction, it is undone with it. Measured for a million rows: triggers and indexes took nine tenths of the time.
public final class StoryLoad {
    private let transaction: StoreTransaction
    private var db: Database { transaction.db }
    private let insertion: Statement
    /// The definitions of the indexes to build again.
    private let indexes: [String]
    private var points = PointLoad()
    private var privacy: [UserID: Bool] = [:]
    private var isEmpty = true
    private let hasAreas: Bool
    private let hasNotices: Bool
    private let hasDeletedImports: Bool

    fileprivate init(_ transaction: StoreTransaction, expecting count: Int, by number: Int64?) throws {
        let db = transaction.db
        func contains(_ table: String) throws -> Bool {
            try Int.fetchOne(db, sql: "SELECT 1 FROM \(table) LIMIT 1") != nil
        }
        self.transaction = transaction
        hasAreas = try contains("sensitive_areas")
        hasNotices = try contains("notice_stories")
        hasDeletedImports = try contains("deleted_imports")
        indexes = try StoryLoad.removeIndexes(db, expecting: count)
        insertion = try db.makeStatement(sql: PreparedStory.insertion)
        try insertion.bind(transaction.stamp, at: PreparedStory.columns.count + 3)
        try insertion.bind(number?.databaseValue ?? .null, at: PreparedStory.columns.count + 4)
    }

    /// Removes the indexes of `stories` if at least as many stories as there are will be added; returns their definitions.
    ///
    /// The index of the ids belongs to the table and stays.
    private static func removeIndexes(_ db: Database, expecting count: Int) throws -> [String] {
        let last = try Int.fetchOne(db, sql: "SELECT max(fid) FROM stories NOT INDEXED") ?? 0
        guard last <= count else { return [] }
        let sql = """
            SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND tbl_name = 'stories' AND sql IS NOT NULL
            ORDER BY rowid
            """
        let found = try Row.fetchAll(db, sql: sql)
            .map { row -> (name: String, sql: String) in (row["name"], row["sql"]) }
        for index in found { try db.execute(sql: "DROP INDEX \(index.name)") }
        return found.map(\.sql)
    }

    /// Returns whether the imported story with this id was deleted by its owner.
    public func isDeletedImport(_ id: StoryID) throws -> Bool {
        try hasDeletedImports && transaction.isDeletedImport(id)
    }

    /// Stores a new story and returns it as stored; see ``StoreTransaction/insertHeld(_:)``.
    ///
    /// - Throws: an error that undoes the transaction, among others if its id or source id exists.
    public func insert(_ given: PreparedStory) throws -> Story {
        var prepared = given
        let isPrivate = try isPrivate(given.story.owner)
        if hasAreas || isPrivate {
            var story = try transaction.heldToAreas(given.story)
            if isPrivate { story.autoPrivate = true }
            prepared = PreparedStory(story, digest: given.digest, place: given.place)
        }
        for (index, value) in prepared.values.enumerated() { try insertion.bind(value, at: index + 1) }
        try insertion.runOnce()
        isEmpty = false
        if let point = prepared.story.location?.coordinate {
            points.add(.init(row: db.lastInsertedRowID, x: point.longitude, y: point.latitude))
            if points.isFull { try points.store(in: db) }
        }
        if !prepared.story.places.isEmpty { try transaction.savePlaces(of: prepared.story) }
        try transaction.noteStored(prepared.story, mayBeTold: hasNotices)
        return prepared.story
    }

    /// Returns whether new stories of an account are private; nothing else in the transaction changes that.
    private func isPrivate(_ owner: UserID) throws -> Bool {
        if let known = privacy[owner] { return known }
        try transaction.refuseErasing(owner)
        let isPrivate = try transaction.isAutoPrivate(account: owner)
        privacy[owner] = isPrivate
        return isPrivate
    }

    /// Does what is left once all stories are stored.
    fileprivate func finish() throws {
        try points.store(in: db)
        guard !isEmpty else { return try buildIndexes() }
        // What the trigger `tmi_stories_geom` of SpatiaLite does for each row.
        try db.execute(
            sql: """
                UPDATE geometry_columns_time SET last_insert = strftime('%Y-%m-%dT%H:%M:%fZ', 'now')
                WHERE lower(f_table_name) = 'stories' AND lower(f_geometry_column) = 'geom'
                """
        )
        try buildIndexes()
    }

    private func buildIndexes() throws {
        for sql in indexes { try db.execute(sql: sql) }
    }
}

@available(*, unavailable)
extension StoryLoad: Sendable {}

extension StoreTransaction {
    /// Stores many new stories faster than one after the other, with the same result; call it only in a write of its own.
    ///
    /// `count` is how many are expected, as far as known, and `number` that of their import. `body` must not change stored
    /// stories, and no trigger of the file runs meanwhile. Whatever fails must undo the whole transaction.
    public func loadStories(
        expecting count: Int,
        by number: Int64? = nil,
        _ body: (StoryLoad) throws -> Void
    ) throws {
        guard let connection = db.sqliteConnection else { return }
        waymark_run_stored_triggers(connection, 0)
        // The trigger that takes back what `stories_added` records, which temporary triggers do regardless.
        try db.execute(sql: "DROP TRIGGER IF EXISTS temp.\(Schema.ownInsertion)")
        defer { waymark_run_stored_triggers(connection, 1) }
        let load = try StoryLoad(self, expecting: count, by: number)
        try body(load)
        try load.finish()
        try Schema.noteOwnEdits(on: db)
    }
}

extension Statement {
    /// Binds a value to the parameter with a number, from 1, past the arguments of GRDB.
    fileprivate func bind(_ value: some DatabaseValueConvertible, at index: Int) throws {
        let (pointer, index) = (sqliteStatement, CInt(index))
        // SQLite copies the bytes before it returns.
        let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        let code: CInt
        switch value.databaseValue.storage {
        case .null: code = sqlite3_bind_null(pointer, index)
        case .int64(let number): code = sqlite3_bind_int64(pointer, index, number)
        case .double(let number): code = sqlite3_bind_double(pointer, index, number)
        case .string(var text):
            code = text.withUTF8 { bytes in
                // Without bytes the pointer may be missing, which would store no text instead of an empty one.
                guard !bytes.isEmpty else { return sqlite3_bind_text(pointer, index, "", 0, transient) }
                return bytes.withMemoryRebound(to: CChar.self) {
                    sqlite3_bind_text(pointer, index, $0.baseAddress, CInt($0.count), transient)
                }
            }
        case .blob(let data):
            code = data.withUnsafeBytes { sqlite3_bind_blob(pointer, index, $0.baseAddress, CInt($0.count), transient) }
        }
        guard code == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
    }

    /// Runs a statement without results and leaves its values bound.
    fileprivate func runOnce() throws {
        let code = sqlite3_step(sqliteStatement)
        guard code != SQLITE_DONE else {
            sqlite3_reset(sqliteStatement)
            return
        }
        let message = String(cString: sqlite3_errmsg(sqlite3_db_handle(sqliteStatement)))
        sqlite3_reset(sqliteStatement)
        throw DatabaseError(resultCode: ResultCode(rawValue: code), message: message)
    }
}

/// Points on their way into the spatial index, neighbours together.
///
/// In that order successive points change the same nodes of the tree.
private struct PointLoad {
    struct Point {
        let row: Int64
        let x: Double
        let y: Double

        /// The place on a curve through the whole world that mostly passes near places one after the other.
        var key: UInt64 { spread((x + 180) / 360) << 1 | spread((y + 90) / 180) }

        /// Returns a share of the world in 16 bits with a gap between all of them.
        private func spread(_ share: Double) -> UInt64 {
            var bits = UInt64(max(0, min(65_535, share * 65_536)))
            bits = (bits | bits << 8) & 0x00FF_00FF
            bits = (bits | bits << 4) & 0x0F0F_0F0F
            bits = (bits | bits << 2) & 0x3333_3333
            return (bits | bits << 1) & 0x5555_5555
        }
    }

    private var waiting: [Point] = []

    var isFull: Bool { waiting.count >= 65_536 }

    mutating func add(_ point: Point) { waiting.append(point) }

    /// Stores the points that wait, as the trigger `gii_stories_geom` of SpatiaLite does.
    mutating func store(in db: Database) throws {
        guard !waiting.isEmpty else { return }
        let sql = "INSERT OR REPLACE INTO idx_stories_geom (pkid, xmin, xmax, ymin, ymax) VALUES (?1, ?2, ?2, ?3, ?3)"
        let statement = try db.makeStatement(sql: sql)
        for point in waiting.map({ (key: $0.key, point: $0) }).sorted(by: { $0.key < $1.key }).map(\.point) {
            try statement.bind(point.row, at: 1)
            try statement.bind(point.x, at: 2)
            try statement.bind(point.y, at: 3)
            try statement.runOnce()
        }
        waiting.removeAll(keepingCapacity: true)
    }
}
