import Formats

/// What an archive contains and what its database must be equal to; the first thing in it.
public struct ArchiveManifest: Hashable, Sendable {
    /// A file in the archive.
    public struct Member: Hashable, Sendable {
        /// `database`, or `keys/` and the name of a file in the folder of keys.
        public let name: String
        /// Its size in bytes.
        public let bytes: Int
        /// Its SHA-256 in hexadecimal.
        public let digest: String

        /// Creates a description of a file.
        public init(name: String, bytes: Int, digest: String) {
            self.name = name
            self.bytes = bytes
            self.digest = digest
        }
    }

    /// A table of the database.
    public struct Table: Hashable, Sendable {
        /// Its name.
        public let name: String
        /// The number of its rows.
        public let rows: Int
        /// A SHA-256 of its rows in order, in hexadecimal.
        public let digest: String

        /// Creates a description of a table.
        public init(name: String, rows: Int, digest: String) {
            self.name = name
            self.rows = rows
            self.digest = digest
        }
    }

    /// The name of the member that is the database.
    public static let database = "database"
    /// The beginning of the names of members from the folder of keys.
    public static let keys = "keys/"
    /// The maximum size of a manifest in bytes.
    static let mostBytes = 4 << 20
    private static let mostMembers = 1_000

    /// The version of the program that made the archive.
    public var program: String
    /// When it was made, in milliseconds since 1970.
    public var createdAt: Int64
    /// The migrations of the database, in order.
    public var migrations: [String]
    /// A SHA-256 of all tables, in hexadecimal; it does not depend on the layout of pages.
    public var digest: String
    /// The tables, by name.
    public var tables: [Table]
    /// The files in their order in the archive.
    public var members: [Member]

    /// Creates a manifest.
    public init(
        program: String,
        createdAt: Int64,
        migrations: [String],
        digest: String,
        tables: [Table],
        members: [Member]
    ) {
        self.program = program
        self.createdAt = createdAt
        self.migrations = migrations
        self.digest = digest
        self.tables = tables
        self.members = members
    }

    /// Whether the folder of keys is in the archive.
    public var hasKeys: Bool { members.contains { $0.name.hasPrefix(ArchiveManifest.keys) } }

    /// The size of the database in bytes.
    public var databaseBytes: Int { members.first { $0.name == ArchiveManifest.database }?.bytes ?? 0 }

    /// The sum of the sizes of all members, or `nil` if it is out of bounds.
    var memberBytes: Int? {
        var sum = 0
        for member in members {
            let (next, overflows) = sum.addingReportingOverflow(member.bytes)
            guard !overflows, member.bytes >= 0 else { return nil }
            sum = next
        }
        return sum
    }

    /// The manifest as JSON.
    var json: [UInt8] {
        var json = JSONWriter(capacity: 16_384)
        json.beginObject()
        json.member("program", program)
        json.member("created_at_ms", Int(createdAt))
        json.member("migrations", migrations)
        json.member("digest", digest)
        json.key("tables")
        json.beginArray()
        for table in tables {
            json.beginObject()
            json.member("name", table.name)
            json.member("rows", table.rows)
            json.member("digest", table.digest)
            json.endObject()
        }
        json.endArray()
        json.key("members")
        json.beginArray()
        for member in members {
            json.beginObject()
            json.member("name", member.name)
            json.member("bytes", member.bytes)
            json.member("sha256", member.digest)
            json.endObject()
        }
        json.endArray()
        json.endObject()
        return json.bytes
    }

    /// Parses a manifest; `nil` if anything in it is missing, doubled or not allowed.
    init?(json bytes: [UInt8]) {
        let limits = JSONValue.Limits(bytes: ArchiveManifest.mostBytes, depth: 4, allowsRepeatedNames: false)
        guard let json = try? JSONValue(parsing: bytes, limits: limits), let program = json["program"]?.string,
            let createdAt = json["created_at_ms"]?.integer, let migrations = json["migrations"]?.array,
            let digest = json["digest"]?.string, ArchiveManifest.isDigest(digest),
            let tables = json["tables"]?.array, let members = json["members"]?.array,
            members.count <= ArchiveManifest.mostMembers
        else { return nil }
        self.init(
            program: program,
            createdAt: Int64(createdAt),
            migrations: migrations.compactMap(\.string),
            digest: digest,
            tables: tables.compactMap { table in
                guard let name = table["name"]?.string, let rows = table["rows"]?.integer, rows >= 0,
                    let digest = table["digest"]?.string, ArchiveManifest.isDigest(digest)
                else { return nil }
                return Table(name: name, rows: rows, digest: digest)
            },
            members: members.compactMap { member in
                guard let name = member["name"]?.string, ArchiveManifest.isName(name),
                    let bytes = member["bytes"]?.integer, bytes >= 0,
                    let digest = member["sha256"]?.string, ArchiveManifest.isDigest(digest)
                else { return nil }
                return Member(name: name, bytes: bytes, digest: digest)
            }
        )
        guard self.tables.count == tables.count, self.members.count == members.count,
            self.migrations.count == migrations.count, Set(self.members.map(\.name)).count == members.count,
            Set(self.tables.map(\.name)).count == tables.count,
            self.members.first?.name == ArchiveManifest.database, memberBytes != nil
        else { return nil }
    }

    /// Whether a member may have this name: it never leads out of the folder it is extracted to.
    package static func isName(_ name: String) -> Bool {
        if name == database { return true }
        guard name.hasPrefix(keys) else { return false }
        let file = name.utf8.dropFirst(keys.utf8.count)
        guard let first = file.first, (1...64).contains(file.count) else { return false }
        func isLetterOrDigit(_ byte: UInt8) -> Bool {
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        }
        return isLetterOrDigit(first)
            && file.allSatisfy { isLetterOrDigit($0) || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "-") }
    }

    private static func isDigest(_ text: String) -> Bool {
        text.utf8.count == 64
            && text.utf8.allSatisfy {
                (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
            }
    }
}
