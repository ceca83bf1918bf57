import GRDB
import Stories

extension DatabaseError {
    /// Whether a part of the file is damaged.
    var isDamage: Bool { [.SQLITE_CORRUPT, .SQLITE_NOTADB].contains(resultCode.primaryResultCode) }
}

/// The rows of a table that could not be read because their pages are damaged.
package struct UnreadableRows: Hashable, Sendable {
    /// The ids of the rows that another index names, sorted.
    package internal(set) var ids: [String] = []
    /// Whether there may be more, whose ids are unknown.
    package internal(set) var hasUnknown = false

    /// Creates an empty list.
    package init() {}

    /// Adds the rows of another part of the same table.
    package mutating func add(_ other: UnreadableRows) {
        ids = Set(ids).union(other.ids).sorted()
        hasUnknown = hasUnknown || other.hasUnknown
    }

    /// Whether every row was read.
    package var isEmpty: Bool { ids.isEmpty && !hasUnknown }
}

/// Reads a table with an integer key past damaged pages.
struct DamagedTable {
    let db: Database
    /// The name of the table.
    let table: String
    /// Its integer key.
    let key: String
    /// The index that lists ids and keys without touching the table.
    let index: String
    /// The largest key that is read.
    let last: Int64

    private(set) var unreadable = UnreadableRows()
    private var listed: [(key: Int64, id: String)]?
    /// The key from which reading was to go on the last time.
    private var tried: Int64?

    init(_ db: Database, table: String, key: String, index: String, last: Int64 = .max) {
        self.db = db
        self.table = table
        self.key = key
        self.index = index
        self.last = last
    }

    /// Returns the smallest key above `read` from which reading can go on; `nil` if there is none.
    ///
    /// - Complexity: O(number of rows), once; then one look-up for each row that cannot be read.
    mutating func next(after read: Int64) throws -> Int64? {
        if listed == nil { listed = try list() }
        guard let listed, !listed.isEmpty else {
            tried = try probe(after: max(read, tried ?? read))
            return tried
        }
        for (key, id) in listed where key > read && key <= last {
            // A row that can be found and yet not read as a whole has a damaged page for its long text.
            if key != tried, try isReadable(key) {
                tried = key
                return key
            }
            unreadable.ids.append(id)
        }
        return nil
    }

    private func list() throws -> [(key: Int64, id: String)] {
        do {
            let rows = try Row.fetchAll(
                db,
                sql: "SELECT \(key) AS key, id FROM \(table) INDEXED BY \(index) ORDER BY \(key)"
            )
            return rows.map { ($0["key"], $0["id"]) }
        } catch let error as DatabaseError where error.isDamage {
            return []
        }
    }

    private func isReadable(_ number: Int64) throws -> Bool {
        do {
            return try Int.fetchOne(
                db,
                sql: "SELECT length(id) FROM \(table) NOT INDEXED WHERE \(key) = ?",
                arguments: [number]
            ) != nil
        } catch let error as DatabaseError where error.isDamage {
            return false
        }
    }

    /// Looks for the next readable row in growing steps, without an index; rows in between may be left out.
    private mutating func probe(after last: Int64) throws -> Int64? {
        unreadable.hasUnknown = true
        var step: Int64 = 1
        var from = last
        while true {
            let (next, isOver) = from.addingReportingOverflow(step)
            guard !isOver else { return nil }
            do {
                return try Int64.fetchOne(
                    db,
                    sql: "SELECT \(key) FROM \(table) NOT INDEXED WHERE \(key) >= ? ORDER BY \(key) LIMIT 1",
                    arguments: [next]
                )
            } catch let error as DatabaseError where error.isDamage {
                (from, step) = (next, step.multipliedReportingOverflow(by: 2).partialValue)
                guard step > 0 else { return nil }
            }
        }
    }
}
