/// What went wrong with the database, in words for the operator.
public struct StoreError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The sort of failure, for callers that treat some of them differently.
    public enum Code: String, Hashable, Sendable {
        /// There is no database file.
        case missing
        /// Another process holds the database.
        case locked
        /// The file is not a Waymark database, or a damaged one.
        case notADatabase
        /// The database was written by a later version of the program.
        case newerSchema
        /// The durability settings could not be put in force.
        case notDurable
        /// A uniqueness rule was broken: the thing exists already.
        case conflict
        /// What the change is about was removed while it was on its way: an account, a story, a channel.
        case vanished
        /// What was given breaks a rule; the caller can mend it.
        case refused
        /// The account it is for is being erased.
        case erasing
        /// There is no space left.
        case diskFull
        /// The disk failed, and nothing is written any more until the database is opened again.
        case stopped
        /// Anything else: no permission, an I/O error.
        case failed
    }

    /// The sort of failure.
    public let code: Code
    /// One or two sentences: what, where, what to do.
    public let description: String

    /// Creates an error.
    public init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }
}
