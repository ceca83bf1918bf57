import GRDB

extension Schema {
    /// The tables of keys, sessions.
    static func createAccounts(_ db: Database) throws {
    }
}
