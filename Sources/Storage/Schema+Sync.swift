import GRDB

extension Schema {
    /// The tables of what changed when.
    static func createSync(_ db: Database) throws {
    }
}
