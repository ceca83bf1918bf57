/// A failure of the database, described for the operator.
public struct StoreError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The kind of failure, for callers that handle some of them differently.
    public enum Code: String, Hashable, Sendable {
        /// There is no database file.
        case missing
        /// Another process holds the database.
        case locked
        /// The file is not a Waymark database.
        case notADatabase
        /// A part of the file is damaged.
        case damaged
        /// A row has a value that cannot be read, for instance because another program changed it.
        case damagedRow
        /// The database was written by a later version of the program.
        case newerSchema
        /// The durability settings could not be enforced.
        case notDurable
        /// A uniqueness rule was violated: the item already exists.
        case conflict
        /// The object of the change, such as an account, a story or a channel, was removed meanwhile.
        case vanished
        /// The input violates a rule; the caller can correct it.
        case refused
        /// The account concerned is being erased.
        case erasing
        /// The disk is full.
        case diskFull
        /// The database was opened for reading only.
        case readOnly
        /// The disk failed; nothing more is written until the database is reopened.
        case stopped
        /// Anything else: no permission, an I/O error.
        case failed
    }

    /// The kind of failure.
    public let code: Code
    /// One or two sentences: what happened, where, and what to do.
    public let description: String

    /// Creates an error.
    public init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }

    /// Returns the error for a row that cannot be read; `id` names it, if it has an id that reveals nothing.
    static func damagedRow(of table: String, id: String? = nil) -> StoreError {
        StoreError(
            .damagedRow,
            "\(id.map { "Row \($0)" } ?? "A row") of the table \(table) cannot be read: a column has a value that Waymark "
                + "does not know. Correct the row, or restore the database from a backup."
        )
    }
}
