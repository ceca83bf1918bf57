import GRDB

// Handling of files that are read again, turn out to be damaged, or are removed.
extension GazetteerStaging {
    /// The suffix of the name of a file that is being read again while its older content still counts.
    static let unfinishedMark = "\u{1F}"
    /// Selects the sources whose records do not count yet.
    static let unfinished = "SELECT number FROM source WHERE name LIKE '%' || char(31)"

    static func delete(_ number: Int64, _ db: Database) throws {
        for table in ["address", "placed", "name"] {
            try db.execute(sql: "DELETE FROM \(table) WHERE source = ?", arguments: [number])
        }
        try db.execute(sql: "DELETE FROM source WHERE number = ?", arguments: [number])
    }

    /// Discards everything read from a file that turned out to be damaged; the file's older content is kept.
    ///
    /// - Throws: ``StoreError``.
    public func discard(_ source: Source) throws {
        try writing { try Self.delete(source.number, $0) }
    }

    /// Removes everything read from a file.
    ///
    /// - Returns: whether the file was known.
    /// - Throws: ``StoreError``.
    public func remove(_ name: String) throws -> Bool {
        try writing { db in
            let numbers = try Int64.fetchAll(
                db,
                sql: "SELECT number FROM source WHERE name IN (?, ?)",
                arguments: [name, name + Self.unfinishedMark]
            )
            for number in numbers { try Self.delete(number, db) }
            return !numbers.isEmpty
        }
    }

    /// Replaces the older content of a file with its new content.
    static func replaceOlder(_ source: Source, _ db: Database) throws {
        let older = try Int64.fetchOne(
            db,
            sql: "SELECT number FROM source WHERE name = ? AND number <> ?",
            arguments: [source.name, source.number]
        )
        if let older { try delete(older, db) }
        try db.execute(sql: "UPDATE source SET name = ? WHERE number = ?", arguments: [source.name, source.number])
    }
}
