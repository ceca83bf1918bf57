import GRDB

extension Schema {
    /// The tables of consents, accesses, erasures.
    static func createRights(_ db: Database) throws {
    }
}
