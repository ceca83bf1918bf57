import Formats
public import Stories

/// What was last done to keep a database safe, in a file beside it: such as `PATH.backup.json`.
///
/// It lies beside the database and not in it, because commands that may not write the database, such as a backup beside
/// a running service, record it too, and because a damaged database must not take it along. It holds no personal data.
public struct UpkeepRecord: Hashable, Sendable {
    /// What was done.
    public enum Kind: String, CaseIterable, Sendable {
        /// A backup was made and verified.
        case backup
        /// The database was checked.
        case check
        /// The bytes written since the last backup were counted; `at` is when the count began.
        case changes
    }

    /// The maximum size of the file in bytes.
    private static let mostBytes = 65_536

    /// What was done.
    public let kind: Kind
    /// When it was finished.
    public let at: Timestamp
    /// The outcome in one word of lower-case letters, such as `healthy`.
    public let outcome: String
    /// Numbers about it, such as the size of the database in bytes, by name.
    public let figures: [String: Int]

    /// Creates a record.
    public init(_ kind: Kind, at: Timestamp, outcome: String, figures: [String: Int] = [:]) {
        self.kind = kind
        self.at = at
        self.outcome = outcome
        self.figures = figures
    }

    /// Reads the last record of a kind beside the database at `path`; `nil` if there is none, or none that can be read.
    public init?(_ kind: Kind, besideDatabase path: String) {
        guard let bytes = try? ErasureFile.read(UpkeepRecord.file(kind, path)), bytes.count <= UpkeepRecord.mostBytes,
            let json = try? JSONValue(parsing: bytes), let at = json["at_ms"]?.integer,
            let outcome = json["outcome"]?.string
        else { return nil }
        var figures: [String: Int] = [:]
        for (name, value) in json["figures"]?.object ?? [:] { figures[name] = value.integer }
        self.init(kind, at: Timestamp(milliseconds: Int64(at)), outcome: outcome, figures: figures)
    }

    /// Writes the record beside the database at `path`, in place of the last one of its kind.
    ///
    /// - Throws: ``StoreError`` if the file cannot be written; the last record then remains.
    public func write(besideDatabase path: String) throws {
        var json = JSONWriter(capacity: 200)
        json.beginObject()
        json.member("at_ms", Int(at.milliseconds))
        json.member("outcome", outcome)
        json.key("figures")
        json.beginObject()
        for (name, figure) in figures.sorted(by: { $0.key < $1.key }) { json.member(name, figure) }
        json.endObject()
        json.endObject()
        let file = UpkeepRecord.file(kind, path)
        do {
            try ErasureFile.replace(file, by: json.bytes)
        } catch {
            throw StoreError(
                .failed,
                "Cannot write \(file): \(error). Check the permissions and the space of its folder."
            )
        }
    }

    private static func file(_ kind: Kind, _ path: String) -> String { "\(path).\(kind.rawValue).json" }
}
