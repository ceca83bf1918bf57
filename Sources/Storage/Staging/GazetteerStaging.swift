public import Foundation
import GRDB

/// The staging database for gazetteer input, next to the main database.
///
/// It remembers how far each file has been read, and sorts addresses without holding them in memory.
public final class GazetteerStaging: Sendable {
    /// An address, or a point of a street.
    public struct Address: Sendable, Equatable {
        /// The sort key of the street.
        public var key: String
        /// The name of the street.
        public var street: String
        /// The house number as written.
        public var number: String?
        /// The sort value of the house number.
        public var value: Int64
        /// The city.
        public var city: String
        /// The state or region.
        public var region: String
        /// The code of the country.
        public var country: String
        /// The postal code.
        public var postcode: String
        /// The latitude in degrees.
        public var latitude: Double
        /// The longitude in degrees.
        public var longitude: Double

        /// Creates an address.
        public init(
            key: String,
            street: String,
            number: String?,
            value: Int64,
            city: String,
            region: String,
            country: String,
            postcode: String,
            latitude: Double,
            longitude: Double
        ) {
            self.key = key
            self.street = street
            self.number = number
            self.value = value
            self.city = city
            self.region = region
            self.country = country
            self.postcode = postcode
            self.latitude = latitude
            self.longitude = longitude
        }
    }

    /// A place, serialized by its writer.
    public struct Place: Sendable, Equatable {
        /// Its identifier.
        public var id: String
        /// Its serialized content.
        public var content: Data

        /// Creates a place.
        public init(id: String, content: Data) {
            self.id = id
            self.content = content
        }
    }

    /// An additional name of a place.
    public struct Name: Sendable, Equatable {
        /// The identifier of the place.
        public var place: String
        /// The name.
        public var text: String
        /// The code of its language, or empty.
        public var language: String
        /// Whether it is a name from the past.
        public var isHistoric: Bool
        /// Whether it is the preferred name in its language.
        public var isPreferred: Bool

        /// Creates a name.
        public init(place: String, text: String, language: String, isHistoric: Bool, isPreferred: Bool) {
            self.place = place
            self.text = text
            self.language = language
            self.isHistoric = isHistoric
            self.isPreferred = isPreferred
        }
    }

    /// Records that are stored together or not at all.
    public struct Batch: Sendable {
        /// Addresses and points of streets.
        public var addresses: [Address] = []
        /// Places.
        public var places: [Place] = []
        /// Additional names.
        public var names: [Name] = []

        /// Creates an empty batch.
        public init() {}

        /// The number of records in the batch.
        public var count: Int { addresses.count + places.count + names.count }
    }

    /// A file that has been or is being read.
    public struct Source: Sendable, Equatable {
        /// Its number.
        public let number: Int64
        /// Its name.
        public let name: String
        /// The mark given to ``GazetteerStaging/begin(_:mark:)``.
        public let mark: String
        /// The number of its records stored.
        public let position: Int64
        /// Whether it has been read completely.
        public let isDone: Bool
    }

    private static let namesOfPlace = """
        SELECT text, language, historic, preferred FROM name WHERE place = ? AND source NOT IN (\(unfinished))
        ORDER BY preferred DESC, rowid
        """

    private let queue: DatabaseQueue
    private let path: String

    /// Opens the file at `path`, creating it if necessary.
    ///
    /// - Throws: ``StoreError``.
    public init(path: String) throws {
        var configuration = Configuration()
        configuration.prepareDatabase { db in
            // After a crash the last batch may be missing; it is then read again.
            try db.execute(sql: "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA temp_store = FILE")
            // In kibibytes: a large cache writes the tree of millions of places in few pieces.
            try db.execute(sql: "PRAGMA cache_size = -65536")
        }
        self.path = path
        queue = try Self.explaining(path) { try DatabaseQueue(path: path, configuration: configuration) }
        try writing { db in
            try db.execute(
                sql: """
                    CREATE TABLE IF NOT EXISTS source (
                        number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, mark TEXT NOT NULL,
                        position INTEGER NOT NULL DEFAULT 0, done INTEGER NOT NULL DEFAULT 0);
                    CREATE TABLE IF NOT EXISTS address (
                        source INTEGER NOT NULL, key TEXT NOT NULL, street TEXT NOT NULL, number TEXT,
                        value INTEGER NOT NULL, city TEXT NOT NULL, region TEXT NOT NULL, country TEXT NOT NULL,
                        postcode TEXT NOT NULL, latitude REAL NOT NULL, longitude REAL NOT NULL);
                    CREATE TABLE IF NOT EXISTS placed (
                        id TEXT NOT NULL, source INTEGER NOT NULL, content BLOB NOT NULL,
                        PRIMARY KEY (id, source)) WITHOUT ROWID;
                    CREATE TABLE IF NOT EXISTS name (
                        source INTEGER NOT NULL, place TEXT NOT NULL, text TEXT NOT NULL, language TEXT NOT NULL,
                        historic INTEGER NOT NULL, preferred INTEGER NOT NULL);
                    """
            )
            // Earlier versions did not store places per input file: a place from one file replaced the same place from
            // another.
            if try db.tableExists("place") {
                try db.execute(
                    sql: "INSERT OR REPLACE INTO placed SELECT id, source, content FROM place; DROP TABLE place"
                )
            }
        }
    }

    /// Starts or resumes reading a file; a changed file is read again, and its older content counts until that is
    /// complete.
    ///
    /// - Parameters:
    ///   - name: the name of the file.
    ///   - mark: a value that changes with the file, such as its size and time.
    /// - Returns: how far it was read.
    /// - Throws: ``StoreError``.
    public func begin(_ name: String, mark: String) throws -> Source {
        try writing { db in
            var kept = name
            for known in [name, name + Self.unfinishedMark] {
                let row = try Row.fetchOne(db, sql: "SELECT * FROM source WHERE name = ?", arguments: [known])
                guard let row else { continue }
                if row["mark"] == mark { return Self.source(row) }
                if row["done"] {
                    kept = name + Self.unfinishedMark
                } else {
                    try Self.delete(row["number"], db)
                }
            }
            try db.execute(sql: "INSERT INTO source (name, mark) VALUES (?, ?)", arguments: [kept, mark])
            return Source(number: db.lastInsertedRowID, name: name, mark: mark, position: 0, isDone: false)
        }
    }

    /// Returns the files in the order in which they were added.
    public func sources() throws -> [Source] {
        try reading { db in
            try Row.fetchAll(db, sql: "SELECT * FROM source ORDER BY number").map(Self.source)
        }
    }

    private static func source(_ row: Row) -> Source {
        let name: String = row["name"]
        return Source(
            number: row["number"],
            name: name.hasSuffix(unfinishedMark) ? String(name.dropLast()) : name,
            mark: row["mark"],
            position: row["position"],
            isDone: row["done"]
        )
    }

    /// Stores a batch together with the new position in the file, atomically.
    public func append(_ batch: Batch, source: Source, position: Int64, isDone: Bool) throws {
        try writing { db in
            let address = try db.makeStatement(sql: "INSERT INTO address VALUES (?,?,?,?,?,?,?,?,?,?,?)")
            for entry in batch.addresses {
                try address.execute(arguments: [
                    source.number, entry.key, entry.street, entry.number, entry.value, entry.city, entry.region,
                    entry.country, entry.postcode, entry.latitude, entry.longitude,
                ])
            }
            let place = try db.makeStatement(sql: "INSERT OR REPLACE INTO placed VALUES (?,?,?)")
            for entry in batch.places { try place.execute(arguments: [entry.id, source.number, entry.content]) }
            let name = try db.makeStatement(sql: "INSERT INTO name VALUES (?,?,?,?,?,?)")
            for entry in batch.names {
                try name.execute(arguments: [
                    source.number, entry.place, entry.text, entry.language, entry.isHistoric, entry.isPreferred,
                ])
            }
            try db.execute(
                sql: "UPDATE source SET position = ?, done = ? WHERE number = ?",
                arguments: [position, isDone, source.number]
            )
            if isDone { try Self.replaceOlder(source, db) }
        }
    }

    /// Returns the number of addresses and street points stored.
    public func addressCount() throws -> Int {
        try reading {
            try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM address WHERE source NOT IN (\(Self.unfinished))") ?? 0
        }
    }

    /// Passes every address to `body`, in the order of the compiled file.
    ///
    /// SQLite sorts on disk; memory does not grow with the number of addresses.
    public func forEachAddress(_ body: (Address) throws -> Void) throws {
        try reading { db in
            let rows = try Row.fetchCursor(
                db,
                sql: """
                    SELECT key, street, number, value, city, region, country, postcode, latitude, longitude FROM address
                    WHERE source NOT IN (\(Self.unfinished))
                    ORDER BY key, city, region, country, postcode, value, number, latitude, longitude, street
                    """
            )
            while let row = try rows.next() {
                try body(
                    Address(
                        key: row[0],
                        street: row[1],
                        number: row[2],
                        value: row[3],
                        city: row[4],
                        region: row[5],
                        country: row[6],
                        postcode: row[7],
                        latitude: row[8],
                        longitude: row[9]
                    )
                )
            }
        }
    }

    /// Passes every place with its additional names to `body`, ordered by identifier.
    public func forEachPlace(_ body: (Place, [Name]) throws -> Void) throws {
        let hasNames = try hasNames()
        if hasNames { try indexNames() }
        try reading { db in
            let names = try db.makeStatement(
                sql:
                    GazetteerStaging.namesOfPlace
            )
            // If several files contain a place, the file added last wins.
            let rows = try Row.fetchCursor(
                db,
                sql: """
                    SELECT id, content FROM placed WHERE source NOT IN (\(Self.unfinished)) ORDER BY id, source DESC
                    """
            )
            var last: String?
            while let row = try rows.next() {
                let place = Place(id: row[0], content: row[1])
                guard place.id != last else { continue }
                last = place.id
                guard hasNames else {
                    try body(place, [])
                    continue
                }
                let found = try Row.fetchAll(names, arguments: [place.id])
                    .map { Name(place: place.id, text: $0[0], language: $0[1], isHistoric: $0[2], isPreferred: $0[3]) }
                try body(place, found)
            }
        }
    }

    /// Returns whether any additional names are stored.
    public func hasNames() throws -> Bool {
        try reading { try Bool.fetchOne($0, sql: "SELECT EXISTS (SELECT 1 FROM name)") ?? false }
    }

    /// Returns the additional names of a place that is not stored itself; call ``indexNames()`` first.
    public func names(of place: String) throws -> [Name] {
        try reading { db in
            let statement = try db.cachedStatement(
                sql:
                    GazetteerStaging.namesOfPlace
            )
            return try Row.fetchAll(statement, arguments: [place])
                .map { Name(place: place, text: $0[0], language: $0[1], isHistoric: $0[2], isPreferred: $0[3]) }
        }
    }

    /// Indexes additional names by place.
    public func indexNames() throws {
        try writing { db in try db.execute(sql: "CREATE INDEX IF NOT EXISTS name_place ON name (place)") }
    }

    /// Returns the number of places stored.
    public func placeCount() throws -> Int {
        try reading {
            try Int.fetchOne($0, sql: "SELECT COUNT(DISTINCT id) FROM placed WHERE source NOT IN (\(Self.unfinished))")
                ?? 0
        }
    }

    /// Moves the write-ahead log into the file and closes it.
    public func close() throws {
        try Self.explaining(path) {
            _ = try queue.writeWithoutTransaction { try $0.checkpoint(.truncate) }
            try queue.close()
        }
    }

    private func reading<Value>(_ work: (Database) throws -> Value) throws -> Value {
        try Self.explaining(path) { try queue.read(work) }
    }

    func writing<Value>(_ work: (Database) throws -> Value) throws -> Value {
        try Self.explaining(path) { try queue.write(work) }
    }

    /// Runs work on the file and explains SQLite errors.
    private static func explaining<Value>(_ path: String, _ work: () throws -> Value) throws -> Value {
        do {
            return try work()
        } catch let error as DatabaseError {
            switch error.resultCode.primaryResultCode {
            case .SQLITE_BUSY, .SQLITE_LOCKED:
                throw StoreError(
                    .locked,
                    "Another command is adding to \(path). Wait for it to finish, then run this one again."
                )
            case .SQLITE_NOTADB, .SQLITE_CORRUPT:
                throw StoreError(
                    .notADatabase,
                    "\(path) is damaged or not a staging file. Remove it and add the files again."
                )
            default: throw StoryStore.explain(error, path: path)
            }
        }
    }
}
